import { closest, type Diagnostic, InputError } from "../../core/diagnostic.ts";
import type { Value } from "../../core/value.ts";
import type { Platform } from "../../identity/paths/path-context.ts";
import {
  type HookDeclaration,
  Inexpressible,
  inputsIn,
  type Runtime,
  runtimes,
  type ServerDeclaration,
} from "../../identity/profiles/runtimes.ts";
import type { Template } from "../../readings/template.ts";
import type { PackFile } from "./pack.ts";
import { templateData } from "./read-template.ts";

/** What a manifest declares once, for every runtime it names. */
export interface Declarations {
  readonly owner: string;
  readonly scope: "user" | "project";
  readonly runtimes: readonly string[] | "all-installed";
  readonly servers: Readonly<Record<string, ServerDeclaration>>;
  readonly hooks: readonly HookDeclaration[];
  readonly instructions: Template | undefined;
}

/**
 * The files of a manifest with those that its declarations mean: beside what a template wants of the same file, or
 * files of their own.
 */
export function withDeclarations(files: readonly PackFile[], declared: Declarations): DeclaredFiles {
  const isAll = declared.runtimes === "all-installed";
  const names = isAll
    ? Object.keys(runtimes).filter((name) => !runtimes[name]!.profile)
    : (declared.runtimes as readonly string[]);
  let all = files;
  const notes: Diagnostic[] = [];
  for (const name of names) {
    const { wishes, left } = wishesOf(name, runtimeNamed(name), declared);
    for (const wish of wishes) all = joined(all, wish, isAll);
    notes.push(...left);
  }
  // Of runtimes that nobody named, most are not here.
  return { files: all, notes: isAll ? [] : notes };
}

export interface DeclaredFiles {
  readonly files: readonly PackFile[];
  /** What was declared and can't be said to a runtime that the manifest names. */
  readonly notes: readonly Diagnostic[];
}

function runtimeNamed(name: string): Runtime {
  const runtime = Object.hasOwn(runtimes, name) ? runtimes[name] : undefined;
  if (runtime) return runtime;
  const meant = closest(name, Object.keys(runtimes));
  const hint = meant === undefined ? `known are ${Object.keys(runtimes).join(", ")}` : `did you mean ${meant}?`;
  throw new InputError({ code: "unknown-runtime", message: `runtimes: there is no runtime ${name}; ${hint}` });
}

interface Wish {
  readonly target: string;
  /** The runtime's own folder, where that and not the target's tells whether it is installed. */
  readonly folder: string | undefined;
  readonly os: readonly Platform[] | undefined;
  readonly template: Template;
  readonly isBlock: boolean;
}

/** What a runtime is told, under a name for messages. */
type Declared = readonly [
  string,
  Value | Inexpressible | undefined,
  /** The name of a server, for a file of its own. */
  own?: string,
  optional?: readonly string[],
];

interface Wishes {
  readonly wishes: readonly Wish[];
  readonly left: readonly Diagnostic[];
}

function wishesOf(name: string, runtime: Runtime, declared: Declarations): Wishes {
  const { owner, scope, servers, hooks, instructions } = declared;
  const folder = runtime.folder?.[scope];
  const each = (what: string, place: Runtime["hooks"], values: readonly Declared[]): Wishes => {
    const unread = `stet knows no file from which it reads ${what} ${scope === "user" ? "of a user" : "in a project"}`;
    const left = values.flatMap(([key, value]) => {
      const why = place?.[scope] === undefined ? unread : value instanceof Inexpressible ? value.why : undefined;
      return why === undefined ? [] : [note(name, key, why)];
    });
    const held = values.flatMap(([, value, own = "", optional]) =>
      value === undefined || value instanceof Inexpressible ? [] : [{ value, own, optional }],
    );
    const wishes = targetsOf(place?.[scope]).flatMap(({ target: pattern, os }) =>
      held.map(({ value, own, optional }): Wish => {
        const target = pattern.replace("{owner}", owner).replace("{name}", fileName(own));
        const data = templateData(value, target);
        const template: Template = { kind: "data", name: `${what} of ${name}`, value: data, optional };
        return { target, folder, os, template, isBlock: false };
      }),
    );
    return { wishes, left };
  };
  const all = [
    each(
      "servers",
      runtime.servers,
      Object.entries(servers).map(([key, server]) => {
        const optional = [...Object.values(server.env ?? {}), ...Object.values(server.headers ?? {})];
        return [`server ${key}`, serverFor(runtime, key, server), key, optional];
      }),
    ),
    each(
      "hooks",
      runtime.hooks,
      hooks.map((hook) => [`hook ${hook.event}`, runtime.hook?.(hook)]),
    ),
    each("instructions", runtime.instructions, instructions === undefined ? [] : [["instructions", undefined]]),
  ];
  const texts = targetsOf(instructions === undefined ? undefined : runtime.instructions?.[scope]).map(
    ({ target, os }): Wish => {
      const isOwn = target.includes("{owner}");
      const own = target.replace("{owner}", owner);
      return { target: own, folder: isOwn ? folder : undefined, os, template: instructions!, isBlock: !isOwn };
    },
  );
  return { wishes: [...all.flatMap(({ wishes }) => wishes), ...texts], left: all.flatMap(({ left }) => left) };
}

/** Nobody answers a question that a runtime does not ask: the server would get the question. */
function serverFor(runtime: Runtime, name: string, server: ServerDeclaration): Value | Inexpressible {
  const [asked] = inputsIn(server);
  if (asked === undefined || runtime.asks) return runtime.server(name, server);
  return new Inexpressible(`it does not ask for \${input:${asked}}`);
}

/** A name of a server as a part of a file's name. */
function fileName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, "-");
}

function note(runtime: string, what: string, why: string): Diagnostic {
  const are = what === "instructions" ? "are" : "is";
  return { code: "not-expressible", severity: "warning", message: `${what} ${are} not written for ${runtime}: ${why}` };
}

function targetsOf(place: Runtime["servers"]["user"]): { target: string; os: readonly Platform[] | undefined }[] {
  if (place === undefined) return [];
  if (typeof place === "string") return [{ target: place, os: undefined }];
  const platforms = Object.keys(place) as Platform[];
  return [...new Set(Object.values(place))].map((target) => ({
    target,
    os: platforms.filter((platform) => place[platform] === target),
  }));
}

function joined(
  files: readonly PackFile[],
  { target, folder, os, template, isBlock }: Wish,
  ifInstalled: boolean,
): readonly PackFile[] {
  const at = files.findIndex((file) => file.target === target && (file.strategy === "block") === isBlock);
  const found = files[at];
  // Several runtimes may read one file of instructions.
  if (found?.template === template || found?.also?.includes(template)) return files;
  if (found) return files.with(at, { ...found, also: [...(found.also ?? []), template] });
  // A runtime is installed where its folder is; where that is the home, its file.
  const onlyIf =
    !ifInstalled || folder !== undefined ? undefined : /^~\/[^/]+$/.test(target) ? "exists" : "parent-exists";
  const file: PackFile = {
    target,
    format: undefined,
    strategy: isBlock ? "block" : undefined,
    profile: undefined,
    rules: [],
    onlyIf,
    onlyWith: ifInstalled ? folder : undefined,
    os,
    template,
    folder: undefined,
    where: undefined,
  };
  return [...files, file];
}
