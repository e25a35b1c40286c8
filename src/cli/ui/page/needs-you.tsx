import { useEffect, useRef, useState } from "preact/hooks";
import { Refused, tell } from "./ask.ts";
import { Diff, More, Problem } from "./parts.tsx";
import { useAnswer, useKeys, useTilde } from "./use.ts";
import { Change, type ValueChange } from "./values.tsx";

interface Answer {
  name: string;
  key: string;
  label: string;
  effect: string;
  means: string;
}
interface Entry {
  id: string;
  seen: string;
  key: string;
  file: string;
  owner: string;
  version: string;
  word: string;
  when?: string;
  changes: ValueChange[];
  answers: Answer[];
  edits?: string;
}
interface Waiting {
  total: number;
  waiting: Entry[];
}
interface Given {
  answer: string;
  label: string;
  seen: string;
  text?: string;
}
interface Plan {
  name: string;
  changed: number;
  files: { path: string; diff: string }[];
}

export function NeedsYou({ turn, overview }: { turn: number; overview: () => void }) {
  // The first are there at once, however many there are; the others come when somebody scrolls to them.
  const [most, setMost] = useState(100);
  const { data, problem, again } = useAnswer<Waiting>("waiting", { most: String(most) }, turn);
  const [given, setGiven] = useState<ReadonlyMap<string, Given>>(new Map());
  const [order, setOrder] = useState<readonly string[]>([]);
  const [at, setAt] = useState(0);
  const [editing, setEditing] = useState<string>();
  const [plans, setPlans] = useState<readonly Plan[]>();
  const [said, setSaid] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const waiting = data?.waiting ?? [];

  // An entry that changed elsewhere is asked for anew.
  useEffect(() => {
    const known = new Map(waiting.map((entry) => [entry.id, entry.seen]));
    const left = new Map([...given].filter(([id, { seen }]) => known.get(id) === seen));
    if (left.size < given.size) {
      setSaid("A file changed meanwhile: what you decided about it was taken back, look again.");
      setGiven(left);
      setPlans(undefined);
    }
  }, [data]);

  const focus = (to: number) => {
    const next = Math.max(0, Math.min(waiting.length - 1, to));
    setAt(next);
    list.current?.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus();
  };
  const take = (entry: Entry, answer: string, label: string, text?: string) => {
    setGiven((before) =>
      new Map(before).set(entry.id, { answer, label, seen: entry.seen, ...(text !== undefined && { text }) }),
    );
    setOrder((before) => [...before, entry.id]);
    setEditing(undefined);
    setPlans(undefined);
    focus(waiting.indexOf(entry) + 1);
  };
  const choose = (entry: Entry | undefined, key: string) => {
    const answer = entry?.answers.find((each) => each.key === key);
    if (entry === undefined || answer === undefined) return;
    if (answer.name === "edit") setEditing(entry.id);
    else take(entry, answer.name, answer.label);
  };
  const takeBack = () => {
    const last = order.at(-1);
    if (last === undefined) return;
    const left = new Map(given);
    left.delete(last);
    setGiven(left);
    setOrder(order.slice(0, -1));
    setPlans(undefined);
  };
  const answers = [...given].map(([id, { answer, seen, text }]) => ({ id, answer, seen, text }));
  const send = async (path: "preview" | "write") => {
    try {
      const { plans: found } = await tell<{ plans: Plan[] }>(path, { answers });
      if (path === "preview") return setPlans(found);
      const names = [...new Set(found.map(({ name }) => name))].reverse();
      setSaid(`Written. To take it back: ${names.map((name) => `stet rollback ${name}`).join(", then ")}`);
      setGiven(new Map());
      setOrder([]);
      setPlans(undefined);
    } catch (error) {
      setSaid(error instanceof Refused ? error.message : String(error));
    }
    again();
    overview();
  };
  const current = waiting[at];
  useKeys({
    j: () => focus(at + 1),
    k: () => focus(at - 1),
    z: takeBack,
    ...Object.fromEntries((current?.answers ?? []).map(({ key }) => [key, () => choose(current, key)])),
    Enter: () => (given.size > 0 ? void send(plans === undefined ? "preview" : "write") : undefined),
  });

  if (data !== undefined && waiting.length === 0) return <Problem text={said} />;
  return (
    <>
      <h1>Needs you</h1>
      {plans !== undefined && <Result plans={plans} />}
      <div ref={list}>
        <More
          items={waiting}
          total={data?.total}
          load={() => setMost(most * 4)}
          draw={(entry, i) => (
            <article
              key={entry.id}
              class={`card${given.has(entry.id) ? " decided" : ""}${i === at ? " current" : ""}`}
              aria-current={i === at ? "true" : undefined}
              data-at={i}
              tabIndex={-1}
              aria-label={entry.key}
              onFocus={() => setAt(i)}
            >
              <div class="top">
                <span class="key">{entry.key}</span>
                <span class="word">{given.get(entry.id)?.label ?? entry.word}</span>
              </div>
              <div class="file">
                {entry.file} · {entry.owner} {entry.version}
              </div>
              {entry.when !== undefined && <div class="quiet">{entry.when}</div>}
              {entry.changes.map((change) => (
                <Change change={change} />
              ))}
              {editing === entry.id ? (
                <Editor
                  text={entry.edits ?? ""}
                  save={(text) => take(entry, "edit", "As you wrote it", text)}
                  leave={() => setEditing(undefined)}
                />
              ) : (
                <div class="answers">
                  {entry.answers
                    .filter(({ name }) => name !== "edit" || entry.edits !== undefined)
                    .map(({ name, key, label, means }) => (
                      <button
                        type="button"
                        title={means}
                        aria-pressed={given.get(entry.id)?.answer === name}
                        onClick={() => choose(entry, key)}
                      >
                        <kbd>{key}</kbd> {label}
                      </button>
                    ))}
                </div>
              )}
            </article>
          )}
        />
      </div>
      <div class="bar">
        <Problem text={said ?? problem} />
        <span class="count" role="status">
          {given.size} decided, {(data?.total ?? 0) - given.size} left
        </span>
        <button type="button" disabled={order.length === 0} onClick={takeBack}>
          <kbd>z</kbd> Take back
        </button>
        <button type="button" disabled={given.size === 0} onClick={() => send("preview")}>
          Show the result
        </button>
        <button type="button" class="main" disabled={given.size === 0} onClick={() => send("write")}>
          {given.size === 0 ? "Write" : `Write ${given.size} ${given.size === 1 ? "answer" : "answers"}`}
        </button>
      </div>
    </>
  );
}

function Editor({ text, save, leave }: { text: string; save: (text: string) => void; leave: () => void }) {
  const [value, setValue] = useState(text);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  return (
    <>
      <textarea
        ref={area}
        aria-label="Your value"
        value={value}
        onInput={(event) => setValue((event.currentTarget as HTMLTextAreaElement).value)}
      />
      <div class="answers">
        <button type="button" class="main" onClick={() => save(value)}>
          Take this
        </button>
        <button type="button" onClick={leave}>
          Leave it
        </button>
      </div>
    </>
  );
}

function Result({ plans }: { plans: readonly Plan[] }) {
  const tilde = useTilde();
  const files = plans.flatMap(({ files: each }) => each).filter(({ diff }) => diff !== "");
  const section = useRef<HTMLElement>(null);
  // It stands above what was decided, which may be far down.
  useEffect(() => {
    section.current?.focus();
    section.current?.scrollIntoView({ block: "nearest" });
  }, [plans]);
  return (
    <section ref={section} class="result" tabIndex={-1} aria-label="The result">
      <h2>The result</h2>
      {files.length === 0 && <p>No file changes: only what is remembered.</p>}
      {files.map(({ path, diff }) => (
        <>
          <div class="file">{tilde(path)}</div>
          <Diff text={diff} />
        </>
      ))}
    </section>
  );
}
