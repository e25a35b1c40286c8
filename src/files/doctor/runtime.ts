import { basename, dirname, join } from "node:path";
import type { Machine } from "../../engine/machine.ts";
import { canonicalPath } from "../../identity/paths/paths.ts";
import { profileFor } from "../../identity/profiles/index.ts";
import type { ProfileName } from "../../identity/profiles/profile.ts";
import type { Finding } from "../../report/finding.ts";
import type { OwnedPlace } from "../places/owned-places.ts";

/** Whether the managed file is the one the runtime reads, and whether it heeds what is in it. */
export function runtimeFindings(owned: OwnedPlace, machine: Machine): Finding[] {
  return [...siblings(owned, machine), ...otherFolder(owned, machine), ...disabledHooks(owned)];
}

const spellings: readonly (readonly string[])[] = [
  ["json", "jsonc", "json5"],
  ["yaml", "yml"],
];

/** `x.json` beside `x.jsonc`: runtimes read one of them, or both in an order of their own. */
function siblings({ owner, place }: OwnedPlace, { gate }: Machine): Finding[] {
  const dot = place.path.lastIndexOf(".");
  const [stem, extension] = [place.path.slice(0, dot), place.path.slice(dot + 1)];
  if (basename(stem) === "") return [];
  const others = spellings.find((names) => names.includes(extension))?.filter((name) => name !== extension) ?? [];
  return others
    .map((name) => `${stem}.${name}`)
    .filter((path) => gate.stat(path) !== undefined)
    .map((path) => ({
      code: "shadowed-file",
      severity: "warning",
      owner,
      file: place.path,
      message: `${path} is next to it, and the runtime may read that one instead`,
      fix: "keep one of them, and name that one as the target",
    }));
}

/** Variables that move a runtime's whole config folder. */
const movedFolders: Readonly<Partial<Record<ProfileName, { readonly variable: string; readonly folder: string }>>> = {
  "claude-code": { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  codex: { variable: "CODEX_HOME", folder: ".codex" },
};

function otherFolder({ owner, place, state }: OwnedPlace, machine: Machine): Finding[] {
  const profile = profileFor(place.path, state.context);
  const moved = profile && movedFolders[profile.name];
  const set = moved && machine.env[moved.variable];
  if (!moved || !set) return [];
  const same = (a: string, b: string) => canonicalPath(a, state.context) === canonicalPath(b, state.context);
  if (!same(dirname(place.path), join(machine.home, moved.folder)) || same(set, join(machine.home, moved.folder)))
    return [];
  const message = `$${moved.variable} is ${set}, so ${profile.title} does not read this file`;
  const fix = `name \${${moved.variable}}/${basename(place.path)} as the target, or unset the variable`;
  return [{ code: "other-config-folder", severity: "warning", owner, file: place.path, message, fix }];
}

/** Claude Code's switch that makes every hook do nothing. */
function disabledHooks({ owner, place, planned }: OwnedPlace): Finding[] {
  const hooks = planned.decisions.filter(({ type, actual }) => type === "hook" && actual).length;
  if (hooks === 0 || !/"disableAllHooks"\s{0,8}:\s{0,8}true/.test(planned.text ?? "")) return [];
  const message = `disableAllHooks is true, so none of the ${hooks} managed hooks runs`;
  return [
    {
      code: "hooks-disabled",
      severity: "warning",
      owner,
      file: place.path,
      message,
      fix: "take disableAllHooks out, or set it to false",
    },
  ];
}
