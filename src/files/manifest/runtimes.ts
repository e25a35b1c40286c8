import { closest } from "../../core/closest.ts";
import { type Diagnostic, InputError } from "../../core/diagnostic.ts";
import type { Value } from "../../core/value.ts";
import type { Platform } from "../../identity/paths/path-context.ts";
import {
  type HookDeclaration,
  Inexpressible,
  type Runtime,
  runtimes,
  type ServerDeclaration,
} from "../../identity/profiles/runtimes.ts";
import type { Template } from "../../readings/template.ts";
import type { PackFile } from "./pack.ts";
import { templateData } from "./template-data.ts";

/** What a manifest declares once, for every runtime it names. */
export interface Declarations {
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
export function withDeclarations(files: readonly PackFile[], declared: Declarations): readonly PackFile[] {
  const isAll = declared.runtimes === "all-installed";
  const names = isAll ? Object.keys(runtimes) : (declared.runtimes as readonly string[]);
  let all = files;
  for (const name of names) {
    for (const wish of wishesOf(name, runtimeNamed(name), declared)) all = joined(all, wish, isAll);
  }
  return all;
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
  readonly os: readonly Platform[] | undefined;
  readonly template: Template | undefined;
  readonly isBlock: boolean;
  readonly notes: readonly Diagnostic[];
}

function wishesOf(name: string, runtime: Runtime, { scope, servers, hooks, instructions }: Declarations): Wish[] {
  const each = (
    what: string,
    place: Runtime["hooks"],
    values: readonly [string, Value | Inexpressible | undefined][],
  ): Wish[] => {
    const notes = values.flatMap(([key, value]) => {
      const why =
        place?.[scope] === undefined
          ? `it reads no ${what} ${scope === "user" ? "of a user" : "in a project"}`
          : value instanceof Inexpressible
            ? value.why
            : undefined;
      return why === undefined ? [] : [note(name, key, why)];
    });
    const held = values.flatMap(([, value]) => (value === undefined || value instanceof Inexpressible ? [] : [value]));
    return targetsOf(place?.[scope]).flatMap(({ target, os }, i) =>
      (held.length === 0 ? [undefined] : held).map((value, n): Wish => {
        const template: Template | undefined =
          value === undefined
            ? undefined
            : { kind: "data", name: `${what} of ${name}`, value: templateData(value, target) };
        return { target, os, template, isBlock: false, notes: i === 0 && n === 0 ? notes : [] };
      }),
    );
  };
  return [
    ...each(
      "servers",
      runtime.servers,
      Object.entries(servers).map(([key, server]) => [`server ${key}`, runtime.server(key, server)]),
    ),
    ...each(
      "hooks",
      runtime.hooks,
      hooks.map((hook) => [`hook ${hook.event}`, runtime.hook?.(hook)]),
    ),
    ...(instructions === undefined
      ? []
      : targetsOf(runtime.instructions?.[scope]).map(({ target, os }) => ({
          target,
          os,
          template: instructions,
          isBlock: true,
          notes: [],
        }))),
  ];
}

function note(runtime: string, what: string, why: string): Diagnostic {
  return { code: "not-expressible", severity: "warning", message: `${what} is not written for ${runtime}: ${why}` };
}

function targetsOf(place: Runtime["servers"]["user"]): { target: string; os: readonly Platform[] | undefined }[] {
  if (place === undefined) return [];
  if (typeof place === "string") return [{ target: place, os: undefined }];
  return Object.entries(place).map(([os, target]) => ({ target, os: [os as Platform] }));
}

function joined(
  files: readonly PackFile[],
  { target, os, template, isBlock, notes }: Wish,
  ifInstalled: boolean,
): readonly PackFile[] {
  const at = files.findIndex((file) => file.target === target && (file.strategy === "block") === isBlock);
  const found = files[at];
  // Several runtimes may read one file of instructions.
  const isSame = template !== undefined && (found?.template === template || found?.also?.includes(template) === true);
  if (found) {
    const also = template === undefined || isSame ? (found.also ?? []) : [...(found.also ?? []), template];
    return files.with(at, { ...found, also, notes: [...(found.notes ?? []), ...notes] });
  }
  const empty: Template = { kind: "data", name: `declarations for ${target}`, value: {} };
  // A runtime is installed where its folder is; where that is the home, its file.
  const onlyIf = !ifInstalled ? undefined : /^~\/[^/]+$/.test(target) ? "exists" : "parent-exists";
  const file: PackFile = {
    target,
    format: undefined,
    strategy: isBlock ? "block" : undefined,
    profile: undefined,
    rules: [],
    onlyIf,
    os,
    template: template ?? empty,
    folder: undefined,
    where: undefined,
    notes,
  };
  return [...files, file];
}
