import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Files } from "./files.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { History, HostPage, Toolset, WhoRunsPage } from "./others.tsx";
import { Place, tildeFor, useAnswer, useKeys, useTurns } from "./use.ts";

interface Overview {
  home: string;
  project?: string;
  owners: { name: string; version: string }[];
  files: number;
  waiting: number;
  last?: { name: string; version: string; time: string };
  host: boolean;
  toolset: boolean;
}

const nowhere = { home: "" };

function usePage(): string {
  const [page, setPage] = useState(location.hash.slice(2) || "needs-you");
  useEffect(() => {
    const onHash = () => setPage(location.hash.slice(2) || "needs-you");
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  return page;
}

function App() {
  const page = usePage();
  const turn = useTurns();
  const { data, again } = useAnswer<Overview>("overview", {}, turn);
  const [help, setHelp] = useState(false);
  useKeys({ "?": () => setHelp(!help), Escape: () => setHelp(false) });
  const pages = [
    ["needs-you", "Needs you", data?.waiting],
    ["files", "Files", data?.files],
    ["who-runs", "Who runs", undefined],
    ["history", "History", undefined],
    ...(data?.host ? [["host", "Host", undefined] as const] : []),
    ...(data?.toolset ? [["toolset", "Toolset", undefined] as const] : []),
  ] as const;
  return (
    <Place.Provider value={data ?? nowhere}>
      <div class="shell">
        <header>
          <strong>stet</strong>
          <span class="where">{data?.project === undefined ? "~" : tildeFor(data.home)(data.project)}</span>
          <button type="button" aria-expanded={help} onClick={() => setHelp(!help)}>
            <kbd>?</kbd> Keys
          </button>
        </header>
        <nav aria-label="Pages">
          {pages.map(([name, label, count]) => (
            <a href={`#/${name}`} aria-current={name === page ? "page" : undefined}>
              {label} {count !== undefined && <span>{count}</span>}
            </a>
          ))}
        </nav>
        <main>
          {help && <Help />}
          {page === "needs-you" && data !== undefined && data.waiting === 0 && <Calm overview={data} />}
          {page === "needs-you" && <NeedsYou turn={turn} overview={again} />}
          {page === "files" && <Files turn={turn} />}
          {page === "who-runs" && <WhoRunsPage turn={turn} />}
          {page === "history" && <History turn={turn} overview={again} />}
          {page === "host" && <HostPage turn={turn} />}
          {page === "toolset" && <Toolset turn={turn} />}
        </main>
      </div>
    </Place.Provider>
  );
}

function Calm({ overview: { owners, files, last } }: { overview: Overview }) {
  const many = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;
  if (owners.length === 0)
    return (
      <>
        <h1>Nothing is installed yet.</h1>
        <p>
          Begin with <code>stet apply DIR</code>: a pack, or a folder with one.
        </p>
      </>
    );
  return (
    <>
      <h1>All current.</h1>
      <p>
        {many(owners.length, "owner", "owners")}, {many(files, "file", "files")}.
        {last !== undefined && (
          <>
            {" Last change "}
            <time dateTime={last.time} title={last.time}>
              {ago(last.time)}
            </time>{" "}
            by {last.name} {last.version}.
          </>
        )}
      </p>
    </>
  );
}

/** How long ago, as people say it. */
function ago(time: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  const steps = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ] as const;
  const [size, unit] = steps.find(([length]) => seconds >= length) ?? [1, "moment"];
  const count = Math.floor(seconds / size);
  return unit === "moment" ? "a moment ago" : `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

function Help() {
  return (
    <section class="card" aria-label="Keys">
      <kbd>j</kbd> next <kbd>k</kbd> before <kbd>m</kbd> keep mine <kbd>t</kbd> take theirs <kbd>e</kbd> edit{" "}
      <kbd>h</kbd> mine for good <kbd>o</kbd> keep out <kbd>z</kbd> take back <kbd>Enter</kbd> show the result, then
      write
    </section>
  );
}

render(<App />, document.body);
