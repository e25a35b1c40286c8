import { useState } from "preact/hooks";
import { tell } from "./ask.ts";
import { Diff, More, Problem, Unbroken } from "./parts.tsx";
import { useAnswer, useTilde } from "./use.ts";

interface Running {
  runtime: string;
  scope: string;
  file: string;
  line: number;
  type: string;
  when: string;
  what: string;
  owner: string;
  problem?: string;
}

const afterSpace = /(?<= )/;
const afterSlash = /(?<=\/)/;

export function WhoRunsPage({ turn }: { turn: number }) {
  const { data, problem } = useAnswer<{ entries: Running[] }>("who-runs", {}, turn);
  const [filter, setFilter] = useState("");
  const tilde = useTilde();
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const all = data?.entries ?? [];
  const found = all.filter((entry) => words.every((word) => JSON.stringify(entry).toLowerCase().includes(word)));
  return (
    <>
      <h1>Who runs what</h1>
      <Problem text={problem} />
      <input
        type="search"
        aria-label="Filter"
        placeholder="Filter"
        value={filter}
        onInput={(event) => setFilter((event.currentTarget as HTMLInputElement).value)}
      />
      <div class="scroll">
        <table class="stacks">
          <thead>
            <tr>
              <th scope="col">Runtime</th>
              <th scope="col">Kind</th>
              <th scope="col">What</th>
              <th scope="col">Whose</th>
              <th scope="col">Where</th>
            </tr>
          </thead>
          <tbody>
            <More
              items={found}
              draw={(entry) => (
                <tr>
                  <td data-label="Runtime" class="word">
                    {entry.runtime}
                  </td>
                  <td data-label="Kind">
                    <Unbroken text={`${entry.type} ${entry.when}`} between={afterSpace} />
                  </td>
                  <td data-label="What" class="mono">
                    <div>
                      <Unbroken text={entry.what} between={afterSpace} />
                    </div>
                    {entry.problem !== undefined && <div class="problem">{entry.problem}</div>}
                  </td>
                  <td data-label="Whose" class="word">
                    {entry.owner}
                  </td>
                  <td data-label="Where">
                    <div>
                      <Unbroken text={`${tilde(entry.file)}:${entry.line}`} between={afterSlash} />
                    </div>
                  </td>
                </tr>
              )}
            />
          </tbody>
        </table>
      </div>
      {data !== undefined && found.length === 0 && (
        <p>{all.length === 0 ? "No runtime has anything here." : "Nothing matches."}</p>
      )}
    </>
  );
}

interface Generation {
  name: string;
  number: number;
  time: string;
  note: string;
  version: string;
  from: string | null;
  files: { path: string }[];
}

export function History({ turn, overview }: { turn: number; overview: () => void }) {
  const { data, problem, again } = useAnswer<{ generations: Generation[]; problems: string[] }>("history", {}, turn);
  const [back, setBack] = useState<Generation>();
  const preview = useAnswer<{ files: { path: string; diff: string }[]; diagnostics: { message: string }[] }>(
    back === undefined ? undefined : "back",
    back === undefined ? {} : { name: back.name, to: String(back.number) },
  );
  const [said, setSaid] = useState<string>();
  const tilde = useTilde();
  const newest = new Map((data?.generations ?? []).toReversed().map(({ name, number }) => [name, number]));
  const isChosen = ({ name, number }: Generation) => back?.name === name && back.number === number;
  const goBack = async (to: Generation) => {
    try {
      await tell("back", { name: to.name, to: to.number });
      setSaid(`${to.name} is back at generation ${to.number}.`);
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
    setBack(undefined);
    again();
    overview();
  };
  return (
    <>
      <h1>History</h1>
      <Problem text={said ?? problem ?? preview.problem} />
      {data?.problems.map((text) => (
        <Problem text={text} />
      ))}
      <ul class="list">
        <More
          items={data?.generations ?? []}
          draw={(generation) => (
            <li class="card">
              <div class="top">
                <span class="key">
                  {generation.name}, generation {generation.number}
                </span>
                <span class="word">{generation.time.slice(0, 16).replace("T", " ")}</span>
              </div>
              <div>
                {generation.note}{" "}
                {generation.from !== null && generation.from !== generation.version && `${generation.from} → `}
                {generation.version}
              </div>
              <div class="file">{touched(generation, tilde)}</div>
              {newest.get(generation.name) === generation.number ? (
                <div class="quiet">This is how it is now.</div>
              ) : (
                <div class="answers">
                  <button type="button" aria-expanded={isChosen(generation)} onClick={() => setBack(generation)}>
                    Go back to here
                  </button>
                </div>
              )}
              {isChosen(generation) && back !== undefined && preview.data !== undefined && (
                // Where it was asked for: at the top of a long list nobody would see it.
                <section aria-label="What going back would change" ref={intoView}>
                  <h2>What going back would change</h2>
                  {preview.data.files.every(({ diff }) => diff === "") && <p>No file changes.</p>}
                  {preview.data.files
                    .filter(({ diff }) => diff !== "")
                    .map(({ path, diff }) => (
                      <>
                        <div class="file">{tilde(path)}</div>
                        <Diff text={diff} />
                      </>
                    ))}
                  <div class="answers">
                    <button type="button" class="main" onClick={() => goBack(back)}>
                      Go back
                    </button>
                    <button type="button" onClick={() => setBack(undefined)}>
                      Stay
                    </button>
                  </div>
                </section>
              )}
            </li>
          )}
        />
      </ul>
    </>
  );
}

/** A long list may end just above what was asked for. */
function intoView(part: HTMLElement | null): void {
  part?.scrollIntoView({ block: "nearest" });
}

/** The files of a generation; of many only the first, and how many more there are. */
function touched({ files }: Generation, tilde: (path: string) => string): string {
  const names = files.slice(0, files.length > 6 ? 5 : 6).map(({ path }) => tilde(path));
  const more = files.length - names.length;
  return `${names.join(", ") || "records only"}${more > 0 ? `, and ${more} more files` : ""}`;
}

interface Checked {
  rev: string | null;
  hosts: { host: string; services: string[]; files: number; ok: boolean }[];
  diagnostics: Said[];
}
interface Said {
  severity: string;
  message: string;
  file?: string;
  line?: number;
}

/** Hosts × services; a host opens as its files, a file as the effective unit. */
export function HostPage({ turn }: { turn: number }) {
  const { data, problem } = useAnswer<Checked>("host", {}, turn);
  const [host, setHost] = useState<string>();
  const hosts = data?.hosts ?? [];
  const services = [...new Set(hosts.flatMap((each) => each.services))].sort();
  return (
    <>
      <h1>Host</h1>
      <Problem text={problem} />
      <Messages found={data?.diagnostics ?? []} />
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Host</th>
              {services.map((service) => (
                <th scope="col">{service}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            <More
              items={hosts}
              draw={(each) => (
                <tr>
                  <th scope="row">
                    <button
                      type="button"
                      class="link"
                      aria-pressed={each.host === host}
                      onClick={() => setHost(each.host === host ? undefined : each.host)}
                    >
                      {each.host}
                    </button>
                    {!each.ok && <span class="problem"> can't be evaluated</span>}
                  </th>
                  {services.map((service) => (
                    <td>{each.services.includes(service) ? "runs" : <span class="quiet">–</span>}</td>
                  ))}
                </tr>
              )}
            />
          </tbody>
        </table>
      </div>
      {host !== undefined && <OneHost key={host} host={host} turn={turn} />}
      <Revision turn={turn} />
    </>
  );
}

function Messages({ found }: { found: readonly Said[] }) {
  return (
    <>
      {found.map(({ severity, message, file, line }) => (
        <p class={severity === "error" ? "problem" : "quiet"}>
          {file !== undefined && `${file}:${line ?? 1}: `}
          {message}
        </p>
      ))}
    </>
  );
}

interface Evaluated {
  files: { path: string; kind: string; service: string; origin: string[] }[];
  diagnostics: Said[];
}

function OneHost({ host, turn }: { host: string; turn: number }) {
  const [unit, setUnit] = useState<string>();
  const { data, problem } = useAnswer<Evaluated>("host", { host }, turn);
  const shownUnit = useAnswer<{
    sections: { name: string; lines: { key: string; value: string; source: string; line: number }[] }[];
  }>(unit === undefined ? undefined : "host", { host, unit: unit ?? "" }, turn);
  return (
    <>
      <h2>{host}</h2>
      <Problem text={problem ?? shownUnit.problem} />
      <Messages found={data?.diagnostics ?? []} />
      <ul class="list">
        <More
          items={data?.files ?? []}
          draw={({ path, kind, origin }) => (
            <li>
              <button
                type="button"
                class="link"
                aria-pressed={path.split("/").at(-1) === unit}
                onClick={() => setUnit(path.split("/").at(-1))}
              >
                {path}
              </button>{" "}
              <span class="quiet">
                {kind}, from {origin.join(", then ")}
              </span>
            </li>
          )}
        />
      </ul>
      {shownUnit.data !== undefined && unit !== undefined && (
        <section class="diff" aria-label={`The effective ${unit}`}>
          {shownUnit.data.sections.map(({ name, lines }) => (
            <>
              <div>[{name}]</div>
              {lines.map(({ key, value, source, line }) => (
                <div>
                  {key}={value} <span class="quiet">{`# ${source}:${line}`}</span>
                </div>
              ))}
            </>
          ))}
        </section>
      )}
    </>
  );
}

interface Group {
  hosts: string[];
  files: { path: string; action: string; diff: string }[];
  actions: { action: string; unit: string; reason: string }[];
  diagnostics: Said[];
}

/** What the repository as it is changes on which hosts, compared with a revision. */
function Revision({ turn }: { turn: number }) {
  const [typed, setTyped] = useState("");
  const [from, setFrom] = useState<string>();
  const asked = useAnswer<{ groups: Group[] }>(
    from === undefined ? undefined : "host-diff",
    { from: from ?? "" },
    turn,
  );
  const groups = asked.data?.groups ?? [];
  const changed = groups.filter(
    ({ files, actions, diagnostics }) => files.length + actions.length + diagnostics.length > 0,
  );
  return (
    <section aria-label="What a revision changes">
      <h2>What changes where</h2>
      <form
        class="answers"
        onSubmit={(event) => {
          event.preventDefault();
          setFrom(typed.trim() || "HEAD");
        }}
      >
        <input
          type="search"
          aria-label="Compared with the revision"
          placeholder="Compared with: HEAD, a branch, a tag"
          value={typed}
          onInput={(event) => setTyped((event.currentTarget as HTMLInputElement).value)}
        />
        <button type="submit">Show the changes</button>
      </form>
      <Problem text={asked.problem} />
      {asked.data !== undefined && asked.problem === undefined && changed.length === 0 && (
        <p>Nothing changes on any host.</p>
      )}
      {asked.problem === undefined &&
        changed.map(({ hosts, files, actions, diagnostics }) => (
          <section class="card" aria-label={`On ${hosts.join(", ")}`}>
            <div class="key">{hosts.join(", ")}</div>
            <Messages found={diagnostics} />
            <ul class="list">
              {actions
                .filter(({ action }) => action !== "daemon-reload")
                .map(({ action, unit, reason }) => (
                  <li>
                    {action} <span class="value">{unit}</span> <span class="quiet">{reason}</span>
                  </li>
                ))}
            </ul>
            {files.map(({ path, diff }) => (
              <>
                <div class="file">{path}</div>
                <Diff text={diff} />
              </>
            ))}
          </section>
        ))}
    </section>
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** Discovered × overrides = result. */
export function Toolset({ turn }: { turn: number }) {
  const { data, problem } = useAnswer<{
    entries: { key: string; desired?: Fields; result?: Fields }[];
  }>("toolset", {}, turn);
  return (
    <>
      <h1>Toolset</h1>
      <Problem text={problem} />
      <div class="scroll">
        <table class="stacks">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Discovered</th>
              <th scope="col">Your override</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            <More
              items={data?.entries ?? []}
              draw={({ key, desired, result }) => (
                <tr>
                  <th scope="row">{key.replace(/^tool:/, "")}</th>
                  <td data-label="Discovered" class="mono">
                    {desired === undefined ? "not discovered" : fieldLines(desired)}
                  </td>
                  <td data-label="Your override" class="mono">
                    {override(desired, result)}
                  </td>
                  <td data-label="Result" class="mono">
                    {result === undefined ? "off" : fieldLines(result)}
                  </td>
                </tr>
              )}
            />
          </tbody>
        </table>
      </div>
    </>
  );
}

function fieldLines(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

/** What the user made of a tool. */
function override(discovered: Fields | undefined, result: Fields | undefined): string {
  if (result === undefined) return "switched off";
  if (discovered === undefined) return "added";
  const changed = Object.entries(result).filter(
    ([name, value]) => JSON.stringify(discovered[name]) !== JSON.stringify(value),
  );
  return changed.length === 0 ? "none" : fieldLines(Object.fromEntries(changed));
}
