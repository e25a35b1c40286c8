import { InputError } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/push-all.ts";
import type { Value } from "../../core/value.ts";
import type { Machine } from "../../engine/machine.ts";
import { ownersOf } from "../../engine/records.ts";
import { applyAnswers, type EntryAnswer, planAnswers, type WaitingEntry, whatWaits } from "../../files/decide.ts";
import { statusOf } from "../../files/status.ts";
import { json } from "../../formats/json/json.ts";
import type { AnswerName } from "../../report/entry-view.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { tilde } from "../../report/values.ts";
import { instancesOf } from "../files/instances.ts";
import { runCommand } from "../main.ts";
import type { CommonValues } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";

export interface ApiOptions {
  readonly values: CommonValues;
  /** A host repository to show, and what to ask of it. */
  readonly repo?: string | undefined;
  /** Services and ConfigMap of a toolset to show. */
  readonly services?: string | undefined;
  readonly configmap?: string | undefined;
}

/** How long an answer is shared. */
const shareMs = 200;

/**
 * What the page asks. Everything that a command answers is that command's own document; only deciding is more than one
 * command.
 */
export class Api {
  readonly #io: Io;
  readonly #options: ApiOptions;
  #recent: { readonly at: number; readonly found: Promise<WaitingEntry[]> } | undefined;

  constructor(io: Io, options: ApiOptions) {
    this.#io = io;
    this.#options = options;
  }

  async get(path: string, query: URLSearchParams): Promise<unknown> {
    switch (path) {
      case "overview":
        return this.#overview();
      case "waiting":
        return { waiting: (await this.#waiting()).map((entry) => this.#shown(entry)) };
      case "status":
        return this.#command("status");
      case "file":
        return this.#file(query.get("path") ?? "");
      case "explain":
        return this.#command("explain", "--", `${query.get("file")}#${query.get("key")}`);
      case "who-runs":
        return this.#command("who-runs");
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
      case "toolset":
        return this.#toolset();
      default:
        throw new InputError({ code: "usage", message: `there is nothing at ${path}` });
    }
  }

  async post(path: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.#recent = undefined;
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

  /** Files that a change of is worth telling. */
  async watched(): Promise<string[]> {
    const plans = await this.#plans();
    return plans.flatMap(({ document }) => document.files.map(({ path }) => path));
  }

  get #instances(): readonly Machine[] {
    return instancesOf(this.#options.values, this.#io);
  }

  async #plans() {
    const plans = [];
    for (const machine of this.#instances) plans.push(...(await statusOf(machine)));
    return plans;
  }

  /** A page asks for several things at once: what waits is looked up once for all of them. */
  #waiting(): Promise<WaitingEntry[]> {
    const now = performance.now();
    if (this.#recent === undefined || now - this.#recent.at > shareMs)
      this.#recent = { at: now, found: this.#lookUp() };
    return this.#recent.found;
  }

  async #lookUp(): Promise<WaitingEntry[]> {
    const found: WaitingEntry[] = [];
    for (const machine of this.#instances) pushAll(found, await whatWaits(machine));
    return found;
  }

  #shown({ owner, section, key, version, view, seen, editable }: WaitingEntry): object {
    const home = this.#instances[0]!.home;
    return {
      id: `${owner}\n${section}\n${key}`,
      version,
      seen,
      ...view,
      file: tilde(view.file, home),
      edits: editable?.text,
    };
  }

  async #overview(): Promise<object> {
    const plans = await this.#plans();
    const { values } = this.#options;
    const history = await this.#history();
    return {
      home: this.#instances[0]!.home,
      project: this.#instances.find(({ project }) => project)?.project?.root,
      owners: plans.map(({ document }) => ({ name: document.name, version: document.version })),
      files: plans.reduce((count, { document }) => count + document.files.length, 0),
      waiting: (await this.#waiting()).length,
      last: history.generations[0],
      host: this.#options.repo !== undefined,
      toolset: this.#options.services !== undefined,
      secrets: values["show-secrets"] === true,
    };
  }

  /** Of managed files, and of those that runtimes read; never of any other on the disk. */
  async #file(path: string): Promise<unknown> {
    const known = new Set(await this.watched());
    const runs = (await this.#command("who-runs")) as { entries: { file: string }[] };
    for (const { file } of runs.entries) known.add(file);
    if (!known.has(path))
      throw new InputError({ code: "no-file", message: "no owner and no runtime has this file", file: path });
    return this.#command("blame", "--", path);
  }

  async #history(): Promise<{ generations: { name: string; number: number; time: string }[] }> {
    const found = [];
    for (const machine of this.#instances) {
      for (const name of ownersOf(machine)) {
        const { generations = [] } = (await this.#command("history", "--", name)) as {
          generations?: { number: number; time: string }[];
        };
        found.push(...generations.map((generation) => ({ ...generation, name })));
      }
    }
    return { generations: found.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : b.number - a.number)) };
  }

  async #host(query: URLSearchParams): Promise<unknown> {
    const { repo } = this.#options;
    if (repo === undefined) return { hosts: [] };
    const [host, unit] = [query.get("host"), query.get("unit")];
    if (host === null) return this.#command("host", "check", "--repo", repo);
    if (unit === null) return this.#command("host", "evaluate", "--repo", repo, "--host", host);
    return this.#command("host", "show", "--repo", repo, "--host", host, "--", unit);
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
      (await this.#waiting()).map((entry) => [`${entry.owner}\n${entry.section}\n${entry.key}`, entry]),
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

function editedValue({ editable, key }: WaitingEntry, text: string): Value {
  if (editable === undefined) throw new InputError({ code: "usage", message: `${key} can't be edited here` });
  const line = editable.remainingMarker(text);
  if (line !== undefined)
    throw new InputError({ code: "markers-remain", message: `a conflict marker still stands in line ${line}` });
  if (editable.kind === "text") return text;
  const read = json.read(text);
  const meaning = read.kind === "read" ? read.document.meaning() : read;
  if (meaning.kind === "value") return meaning.value;
  throw new InputError({ code: "malformed-target", message: `this is not JSON: ${meaning.message}` });
}
