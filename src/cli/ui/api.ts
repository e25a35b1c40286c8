import { InputError } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/lists.ts";
import type { Value } from "../../core/value.ts";
import type { Machine } from "../../engine/machine.ts";
import { generationsOf, lastGenerationOf } from "../../engine/owner-state.ts";
import type { OwnerPlan } from "../../engine/plan-owner.ts";
import { ownersOf } from "../../engine/records.ts";
import {
  applyAnswers,
  type EntryAnswer,
  inOrder,
  planAnswers,
  type WaitingEntry,
  waitingIn,
} from "../../files/decide.ts";
import { statusOf } from "../../files/status.ts";
import { json } from "../../formats/json/json.ts";
import type { AnswerName } from "../../report/entry-view.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { speltIn } from "../../report/words.ts";
import type { Generation } from "../../store/records/generations.ts";
import { registryPath } from "../../store/records/registry.ts";
import { instancesOf } from "../files/instances.ts";
import { runCommand } from "../main.ts";
import type { CommonValues } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";
import { changedSince, filesBelow, stampsOf } from "./watch.ts";

export interface ApiOptions {
  readonly values: CommonValues;
  /** A host repository to show, and what to ask of it. */
  readonly repo?: string | undefined;
  /** Services and ConfigMap of a toolset to show. */
  readonly services?: string | undefined;
  readonly configmap?: string | undefined;
}

/** All that is managed here, looked at once for everything the page asks, until a file of it changes. */
interface Look {
  readonly plans: readonly OwnerPlan[];
  readonly waiting: readonly WaitingEntry[];
  readonly files: readonly string[];
  readonly stamps: string;
}

/**
 * What the page asks. Everything that a command answers is that command's own document; only deciding is more than one
 * command.
 */
export class Api {
  readonly #io: Io;
  readonly #options: ApiOptions;
  #look: Promise<Look> | undefined;

  constructor(io: Io, options: ApiOptions) {
    this.#io = io;
    this.#options = options;
  }

  async get(path: string, query: URLSearchParams): Promise<unknown> {
    switch (path) {
      case "overview":
        return this.#overview();
      case "waiting":
        return this.#waiting(Number(query.get("most") ?? Number.POSITIVE_INFINITY));
      case "files":
        return { files: [...(await this.#managed())].sort() };
      case "file":
        return this.#file(query.get("path") ?? "");
      case "explain":
        return this.#command("explain", "--", `${query.get("file")}#${query.get("key")}`);
      case "who-runs":
        return this.#command("who-runs", "--all");
      case "history":
        return this.#history();
      case "back":
        return this.#command(
          "rollback",
          "--dry-run",
          "--diff",
          "--to",
          query.get("to") ?? "",
          "--",
          query.get("name") ?? "",
        );
      case "host":
        return this.#host(query);
      case "host-diff":
        return this.#hostDiff(query.get("from") ?? "");
      case "toolset":
        return this.#toolset();
      default:
        throw new InputError({ code: "usage", message: `there is nothing at ${path}` });
    }
  }

  async post(path: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
    switch (path) {
      case "preview": {
        const plans = await planAnswers(await this.#answers(body));
        return { plans: plans.map(({ document }) => this.#masked(document)) };
      }
      case "write": {
        const plans = await applyAnswers(await this.#answers(body));
        return { plans: plans.map(({ document }) => this.#masked(document)) };
      }
      case "back":
        return this.#command("rollback", "--to", String(body.to), "--", String(body.name));
      default:
        throw new InputError({ code: "usage", message: `there is nothing at ${path}` });
    }
  }

  /** The files and folders whose change shows on the page. */
  async watched(): Promise<readonly string[]> {
    const { repo, services, configmap } = this.#options;
    const given = [services, configmap].filter((file) => file !== undefined);
    return [...(await this.#current()).files, ...given, ...(repo === undefined ? [] : filesBelow(repo))];
  }

  get #instances(): readonly Machine[] {
    return instancesOf(this.#options.values, this.#io);
  }

  async #current(): Promise<Look> {
    const known = await this.#look?.catch(() => undefined);
    if (known === undefined || stampsOf(known.files) !== known.stamps) this.#look = this.#lookUp();
    return this.#look!;
  }

  async #lookUp(): Promise<Look> {
    const begun = Date.now();
    const found = { plans: [] as OwnerPlan[], waiting: [] as WaitingEntry[], files: [] as string[] };
    for (const machine of this.#instances) {
      const plans = await statusOf(machine);
      pushAll(found.plans, plans);
      pushAll(found.waiting, waitingIn(plans, machine));
      found.files.push(machine.stateDir, ...ownersOf(machine).map((name) => registryPath(machine.stateDir, name)));
      for (const { document } of plans) found.files.push(...document.files.map(({ path }) => path));
    }
    inOrder(found.waiting);
    // What changed while it was looked at is looked at once more.
    return { ...found, stamps: changedSince(found.files, begun) ? "" : stampsOf(found.files) };
  }

  async #waiting(most: number): Promise<object> {
    const { waiting } = await this.#current();
    return { total: waiting.length, waiting: waiting.slice(0, most).map((entry) => this.#shown(entry)) };
  }

  #shown({ machine: { home, project }, owner, section, key, version, view, seen, editable }: WaitingEntry): object {
    return {
      id: `${owner}\n${section}\n${key}`,
      version,
      seen,
      ...view,
      file: speltIn(view.file, { home, project: project?.root }),
      edits: editable?.text,
    };
  }

  async #overview(): Promise<object> {
    const { plans, waiting } = await this.#current();
    const { values } = this.#options;
    return {
      home: this.#instances[0]!.home,
      project: this.#instances.find(({ project }) => project)?.project?.root,
      owners: plans.map(({ document }) => ({ name: document.name, version: document.version })),
      files: plans.reduce((count, { document }) => count + document.files.length, 0),
      waiting: waiting.length,
      last: this.#last(),
      host: this.#options.repo !== undefined,
      toolset: this.#options.services !== undefined,
      secrets: values["show-secrets"] === true,
    };
  }

  /** The files that owners have on record. */
  async #managed(): Promise<Set<string>> {
    const { plans } = await this.#current();
    return new Set(plans.flatMap(({ document }) => document.files.map((file) => file.path)));
  }

  /** Of managed files, and of those that runtimes read; never of any other on the disk. */
  async #file(path: string): Promise<unknown> {
    if (!(await this.#managed()).has(path) && !(await this.#isRead(path)))
      throw new InputError({ code: "no-file", message: "no owner and no runtime has this file", file: path });
    return this.#command("blame", "--", path);
  }

  async #isRead(path: string): Promise<boolean> {
    const { entries } = (await this.#command("who-runs", "--all")) as { entries: { file: string }[] };
    return entries.some(({ file }) => file === path);
  }

  /** A history that can't be read hides no other, and says so. */
  #ofHistories(read: (machine: Machine, name: string) => readonly Generation[]): {
    generations: (Generation & { readonly name: string })[];
    problems: string[];
  } {
    const generations: (Generation & { readonly name: string })[] = [];
    const problems: string[] = [];
    for (const machine of this.#instances) {
      for (const name of ownersOf(machine)) {
        try {
          pushAll(
            generations,
            read(machine, name).map((generation) => ({ ...generation, name })),
          );
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          problems.push(error.message);
        }
      }
    }
    return { generations, problems };
  }

  #last(): { name: string; version: string; time: string } | undefined {
    const { generations } = this.#ofHistories((machine, name) => [lastGenerationOf(machine, name) ?? []].flat());
    const newest = generations.sort(newestFirst)[0];
    return newest && { name: newest.name, version: newest.version, time: newest.time };
  }

  #history(): object {
    const { generations, problems } = this.#ofHistories(generationsOf);
    return { generations: generations.sort(newestFirst), problems };
  }

  async #host(query: URLSearchParams): Promise<unknown> {
    const { repo } = this.#options;
    if (repo === undefined) return { hosts: [] };
    const [host, unit] = [query.get("host"), query.get("unit")];
    if (host === null) return this.#command("host", "check", "--repo", repo);
    if (unit === null) return this.#command("host", "evaluate", "--repo", repo, "--host", host);
    return this.#command("host", "show", "--repo", repo, "--host", host, "--", unit);
  }

  /** What the repository as it is would change, compared with a revision. */
  async #hostDiff(from: string): Promise<unknown> {
    const { repo } = this.#options;
    if (repo === undefined || from === "") return { groups: [] };
    const found = await this.#command("host", "diff", "--all-hosts", "--repo", repo, "--", from);
    if (typeof found === "object" && found !== null && "groups" in found) return found;
    const { diagnostics = [] } = found as { diagnostics?: { message: string }[] };
    throw new InputError({ code: "usage", message: diagnostics[0]?.message ?? `${from} can't be compared` });
  }

  #toolset(): Promise<unknown> {
    const { services, configmap } = this.#options;
    if (services === undefined) return Promise.resolve({ entries: [] });
    return this.#command(
      "toolset",
      "plan",
      "--services",
      services,
      ...(configmap === undefined ? [] : ["--configmap", configmap]),
    );
  }

  /** The answers as the page gives them, by what still waits: an entry that no longer does is refused. */
  async #answers(body: Readonly<Record<string, unknown>>): Promise<EntryAnswer[]> {
    const waiting = new Map(
      (await this.#current()).waiting.map((entry) => [`${entry.owner}\n${entry.section}\n${entry.key}`, entry]),
    );
    const given = Array.isArray(body.answers) ? (body.answers as Record<string, unknown>[]) : [];
    return given.map(({ id, answer, seen, text }) => {
      const entry = waiting.get(String(id));
      if (entry === undefined || entry.seen !== seen) {
        const message = `${String(id).split("\n").at(-1)} changed since you looked at it; nothing was written, look again`;
        throw new InputError({ code: "file-changed", message });
      }
      const { machine, owner, section, key } = entry;
      const value = answer === "edit" ? editedValue(entry, String(text)) : undefined;
      return { machine, owner, section, key, seen: entry.seen, answer: answer as AnswerName, value };
    });
  }

  #masked(document: Parameters<typeof maskPlan>[0]): unknown {
    const shown = this.#options.values["show-secrets"] ? document : maskPlan(document);
    return {
      name: shown.name,
      version: shown.version,
      changed: shown.changed,
      files: shown.files,
      entries: shown.entries,
    };
  }

  /** A command of ours, and its document. */
  async #command(...words: string[]): Promise<unknown> {
    const { values } = this.#options;
    const end = words.indexOf("--");
    const common = [
      "--json",
      ...(values.home ? ["--home", values.home] : []),
      ...(values["state-dir"] ? ["--state-dir", values["state-dir"]] : []),
      ...(values.project ? ["--project", values.project] : []),
    ];
    const secrets = values["show-secrets"] ? ["--show-secrets"] : [];
    const argv =
      end === -1
        ? [...words, ...common, ...secrets]
        : [...words.slice(0, end), ...common, ...secrets, ...words.slice(end)];
    const said = { out: "", err: "" };
    const out = (part: string) => {
      said.out += part;
    };
    const err = (part: string) => {
      said.err += part;
    };
    await runCommand(argv, {
      ...this.#io,
      terminal: undefined,
      errorTerminal: false,
      keyboard: () => undefined,
      out,
      err,
    });
    try {
      return JSON.parse(said.out);
    } catch {
      throw new InputError({ code: "usage", message: said.err.trim().replace(/^\S+: /, "") || "there is no answer" });
    }
  }
}

type Dated = Pick<Generation, "time" | "number">;

function newestFirst(a: Dated, b: Dated): number {
  return a.time < b.time ? 1 : a.time > b.time ? -1 : b.number - a.number;
}

function editedValue({ editable, key }: WaitingEntry, text: string): Value {
  if (editable === undefined) throw new InputError({ code: "usage", message: `${key} can't be edited here` });
  const line = editable.remainingMarker(text);
  if (line !== undefined)
    throw new InputError({ code: "markers-remain", message: `line ${line} still has a conflict marker` });
  if (editable.kind === "text") return text;
  const read = json.read(text);
  const meaning = read.kind === "read" ? read.document.meaning() : read;
  if (meaning.kind === "value") return meaning.value;
  throw new InputError({ code: "malformed-target", message: `this is not JSON: ${meaning.message}` });
}
