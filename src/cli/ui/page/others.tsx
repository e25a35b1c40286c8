import { useState } from "preact/hooks";
import { tell } from "./ask.ts";
import { Diff, More, Problem } from "./parts.tsx";
import { useAnswer } from "./use.ts";

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

export function WhoRuns({ turn }: { turn: number }) {
  const { data, problem } = useAnswer<{ entries: Running[] }>("who-runs", {}, turn);
  const [filter, setFilter] = useState("");
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
        <table>
          <thead>
            <tr>
              <th scope="col">Runtime</th>
              <th scope="col">Kind</th>
              <th scope="col">When</th>
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
                  <td>{entry.runtime}</td>
                  <td>{entry.type}</td>
                  <td>{entry.when}</td>
                  <td class="mono">
                    {entry.what}
                    {entry.problem !== undefined && <div class="problem">{entry.problem}</div>}
                  </td>
                  <td>{entry.owner}</td>
                  <td>
                    {entry.file}:{entry.line}
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
  const { data, problem, again } = useAnswer<{ generations: Generation[] }>("history", {}, turn);
  const [back, setBack] = useState<Generation>();
  const preview = useAnswer<{ files: { path: string; diff: string }[]; diagnostics: { message: string }[] }>(
    back === undefined ? undefined : "back",
    back === undefined ? {} : { name: back.name, to: String(back.number) },
  );
  const [said, setSaid] = useState<string>();
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
      {back !== undefined && preview.data !== undefined && (
        <section aria-label="What going back would change">
          <h2>
            Back to generation {back.number} of {back.name}
          </h2>
          {preview.data.files.every(({ diff }) => diff === "") && <p>No file changes.</p>}
          {preview.data.files
            .filter(({ diff }) => diff !== "")
            .map(({ diff }) => (
              <Diff text={diff} />
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
      <ul class="list">
        <More
          items={data?.generations ?? []}
          draw={(generation) => (
            <li class="card">
              <div class="top">
                <span class="key">
                  {generation.name} {generation.number}
                </span>
                <span class="word">{generation.time.slice(0, 16).replace("T", " ")}</span>
              </div>
              <div>
                {generation.note}{" "}
                {generation.from !== null && generation.from !== generation.version && `${generation.from} → `}
                {generation.version}
              </div>
              <div class="file">{generation.files.map(({ path }) => path).join(", ") || "records only"}</div>
              <div class="answers">
                <button type="button" onClick={() => setBack(generation)}>
                  Go back to here
                </button>
              </div>
            </li>
          )}
        />
      </ul>
    </>
  );
}

interface Evaluated {
  services: string[];
  files: { path: string; kind: string; service: string; origin: string[] }[];
  diagnostics: { severity: string; message: string; file?: string; line?: number }[];
}

export function Host({ turn }: { turn: number }) {
  const { data, problem } = useAnswer<{ hosts: (string | { host: string })[] }>("host", {}, turn);
  const [host, setHost] = useState<string>();
  const [unit, setUnit] = useState<string>();
  const one = useAnswer<Evaluated>(host === undefined ? undefined : "host", { host: host ?? "" }, turn);
  const shownUnit = useAnswer<{
    sections: { name: string; lines: { key: string; value: string; source: string; line: number }[] }[];
  }>(unit === undefined ? undefined : "host", { host: host ?? "", unit: unit ?? "" }, turn);
  const hosts = (data?.hosts ?? []).map((each) => (typeof each === "string" ? each : each.host));
  return (
    <>
      <h1>Host</h1>
      <Problem text={problem ?? one.problem ?? shownUnit.problem} />
      <div class="answers">
        {hosts.map((each) => (
          <button
            type="button"
            aria-pressed={each === host}
            onClick={() => {
              setHost(each);
              setUnit(undefined);
            }}
          >
            {each}
          </button>
        ))}
      </div>
      {one.data !== undefined && (
        <>
          <h2>{one.data.services.join(", ")}</h2>
          {one.data.diagnostics.map(({ severity, message, file, line }) => (
            <p class={severity === "error" ? "problem" : "quiet"}>
              {file !== undefined && `${file}:${line ?? 1}: `}
              {message}
            </p>
          ))}
          <ul class="list">
            <More
              items={one.data.files}
              draw={({ path, kind, origin }) => (
                <li>
                  <button type="button" class="link" onClick={() => setUnit(path.split("/").at(-1))}>
                    {path}
                  </button>{" "}
                  <span class="quiet">
                    {kind}, from {origin.join(" < ")}
                  </span>
                </li>
              )}
            />
          </ul>
        </>
      )}
      {shownUnit.data !== undefined && unit !== undefined && (
        <section class="diff" aria-label={`The effective ${unit}`} tabIndex={0}>
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

export function Toolset({ turn }: { turn: number }) {
  const { data, problem } = useAnswer<{
    entries: { key: string; verdict: string; reason?: string; desired?: unknown; result?: unknown }[];
  }>("toolset", {}, turn);
  return (
    <>
      <h1>Toolset</h1>
      <Problem text={problem} />
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Discovered</th>
              <th scope="col">Result</th>
              <th scope="col">What happens</th>
            </tr>
          </thead>
          <tbody>
            <More
              items={data?.entries ?? []}
              draw={({ key, verdict, reason, desired, result }) => (
                <tr>
                  <td>{key}</td>
                  <td class="mono">{desired === undefined ? "nothing" : JSON.stringify(desired)}</td>
                  <td class="mono">{result === undefined ? "off" : JSON.stringify(result)}</td>
                  <td>
                    {verdict}
                    {reason !== undefined && ` (${reason})`}
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
