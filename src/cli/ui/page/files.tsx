import { useState } from "preact/hooks";
import { More, Problem } from "./parts.tsx";
import { useAnswer, useTilde } from "./use.ts";
import { Change, differences } from "./values.tsx";

interface Line {
  line: number;
  text: string;
  owner: string;
  keys: string[];
}

/** A colour an owner, the same every time. Its name stands beside it: nobody has to tell colours apart. */
function hueOf(owner: string): number {
  let hash = 0;
  for (const sign of owner.replace(/@.*/, "")) hash = (hash * 31 + sign.charCodeAt(0)) % 360;
  return hash;
}

function colourOf(owner: string): string {
  return owner === "unmanaged" || owner === "you"
    ? "transparent"
    : `hsl(${hueOf(owner.replace(/^you-over-/, ""))} 60% 50%)`;
}

export function Files({ turn }: { turn: number }) {
  const { data, problem } = useAnswer<{ files: string[] }>("files", {}, turn);
  const [chosen, setPath] = useState<string>();
  const tilde = useTilde();
  const paths = data?.files ?? [];
  const [filter, setFilter] = useState("");
  const found = paths.filter((each) => tilde(each).toLowerCase().includes(filter.toLowerCase()));
  const path = chosen ?? paths[0];
  return (
    <>
      <h1>Files</h1>
      <Problem text={problem} />
      <div class="files">
        <div>
          {paths.length > 8 && (
            <input
              type="search"
              aria-label="Filter"
              placeholder="Filter"
              value={filter}
              onInput={(event) => setFilter((event.currentTarget as HTMLInputElement).value)}
            />
          )}
          <ul class="list paths">
            <More
              items={found}
              draw={(each) => (
                <li>
                  <button type="button" class="link" aria-pressed={each === path} onClick={() => setPath(each)}>
                    {tilde(each)}
                  </button>
                </li>
              )}
            />
          </ul>
          {found.length === 0 && paths.length > 0 && <p>Nothing matches.</p>}
        </div>
        <div class="file-view">{path !== undefined && <OneFile key={path} path={path} turn={turn} />}</div>
      </div>
    </>
  );
}

export function OneFile({ path, turn }: { path: string; turn: number }) {
  const { data, problem } = useAnswer<{ lines: Line[] }>("file", { path }, turn);
  const [chosen, setChosen] = useState<Line>();
  const tilde = useTilde();
  if (data === undefined) return <Problem text={problem} />;
  return (
    <>
      <h2>{tilde(path)}</h2>
      <div class="split">
        <section class="lines" aria-label={`Lines of ${tilde(path)} with their owners`}>
          <More
            items={data.lines}
            step={400}
            draw={(line) => (
              <button
                type="button"
                class="row"
                key={line.line}
                aria-pressed={line.line === chosen?.line}
                ref={(row) => row?.style.setProperty("border-left-color", colourOf(line.owner))}
                onClick={() => setChosen(line)}
              >
                <span class="number">{line.line}</span>
                <span class="who">{line.owner === "unmanaged" ? "" : line.owner}</span>
                <span class="text" ref={(text) => hang(text, line.text)}>
                  {line.text}
                </span>
              </button>
            )}
          />
        </section>
        <section class="story" aria-label="The story of this line">
          {chosen === undefined ? (
            <p class="quiet">Choose a line to see its story.</p>
          ) : (
            <Story line={chosen} path={path} />
          )}
        </section>
      </div>
    </>
  );
}

/** What does not fit on a line goes on below where its text begins, a little further in. */
function hang(part: HTMLElement | null, text: string): void {
  const inset = `${Math.min(16, text.search(/\S|$/)) + 2}ch`;
  part?.style.setProperty("padding-left", inset);
  part?.style.setProperty("text-indent", `-${inset}`);
}

interface Explained {
  owner: string;
  version: string;
  key: string;
  wanted?: unknown;
  recorded?: { value: unknown; added_in_version: string; last_updated_in_version: string };
  actual?: unknown;
  messages: string[];
  history: { time: string; version: string; note: string; change: string }[];
}

const changeWords: Readonly<Record<string, string>> = {
  added: "added",
  updated: "its value on record changed",
  removed: "no longer managed",
  "handed-over": "made yours for good",
  "left-out": "kept out, as you deleted it",
  "taken-back": "managed again",
  waiting: "its owner wants another value; yours stays",
  unreadable: "this part of the history can't be read",
};

/** What there was before is told where the owner changed it. */
function sidesOf({ owner, actual, wanted, recorded }: Explained) {
  const before = { name: "before", value: recorded?.value, role: "before" };
  return differences([
    { name: "yours", value: actual, role: "yours" },
    { name: `${owner}'s`, value: wanted, role: "theirs" },
    ...(JSON.stringify(recorded?.value) === JSON.stringify(wanted) ? [] : [before]),
  ]);
}

function Story({ line, path }: { line: Line; path: string }) {
  const [key] = line.keys;
  const { data } = useAnswer<{ entries: Explained[] }>(key === undefined ? undefined : "explain", {
    file: path,
    key: key ?? "",
  });
  if (key === undefined)
    return (
      <p>{line.owner === "unmanaged" ? "Yours: no owner has anything to do with it." : `Written by ${line.owner}.`}</p>
    );
  return (
    <>
      {(data?.entries ?? []).map((each) => (
        <>
          <div class="key value">{each.key}</div>
          <p>
            {each.owner} {each.version}
            {each.recorded && `, since ${each.recorded.added_in_version}`}
          </p>
          {sidesOf(each).map((change) => (
            <Change change={change} />
          ))}
          {each.messages.map((message) => (
            <p>{message}</p>
          ))}
          <ul class="list">
            {each.history.map((change) => (
              <li class="quiet">
                {change.time.slice(0, 16).replace("T", " ")} {change.version} {change.note}:{" "}
                {changeWords[change.change] ?? change.change}
              </li>
            ))}
          </ul>
        </>
      ))}
    </>
  );
}
