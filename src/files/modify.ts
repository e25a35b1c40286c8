import { resolve } from "node:path";
import { InputError } from "../core/diagnostic.ts";
import { expandHome, type Machine } from "../engine/machine.ts";
import type { FileStatus, Gate } from "../store/gate/gate.ts";
import type { Pack } from "./manifest/pack.ts";
import { planPack } from "./plan.ts";

/** A text that stands for one of a pack's targets. */
export interface LiveText {
  readonly target: string;
  /** Undefined: there is no such file yet. */
  readonly text: string | undefined;
}

/**
 * What `apply` would make of a text, with no records: nothing is read but the pack and the text, and nothing is
 * written.
 */
export async function modifyText(
  pack: Pack,
  { target, text }: LiveText,
  machine: Machine,
): Promise<string | undefined> {
  const path = resolve(expandHome(target, machine.home));
  const alone: Machine = {
    ...machine,
    stateDir: `${path}.stet-without-records`,
    gate: withLiveText(machine.gate, path, text),
  };
  const { transaction, document } = await planPack(pack, alone);
  if (!document.files.some((file) => file.path === path)) {
    const targets = document.files.map((file) => file.path).join(", ");
    throw new InputError({ code: "unknown-target", message: `${pack.name} has no target ${path}; it has ${targets}` });
  }
  const change = transaction.changes.find((each) => each.path === path);
  if (change === undefined) return text;
  if (change.after.kind !== "file") return undefined;
  const bytes = Buffer.from(change.after.bytes);
  const wanted = bytes.toString("utf8");
  if (Buffer.from(wanted).equals(bytes)) return wanted;
  throw new InputError({ code: "not-utf8", message: `what ${pack.name} wants in ${path} is not text` });
}

/** The machine as if the live text stood where it belongs. */
function withLiveText(gate: Gate, path: string, text: string | undefined): Gate {
  const bytes = text === undefined ? undefined : Buffer.from(text);
  const status: FileStatus | undefined = bytes && {
    kind: "file",
    mode: 0o644,
    uid: gate.userId ?? 0,
    gid: 0,
    links: 1,
    size: bytes.length,
    modified: 0,
    changed: 0,
    inode: 0,
    device: 0,
  };
  const isLive = (asked: string) => asked === path;
  return {
    ...gate,
    read: (asked) => (isLive(asked) ? bytes : gate.read(asked)),
    stat: (asked) => (isLive(asked) ? status : gate.stat(asked)),
    realPath: (asked) => (isLive(asked) ? path : gate.realPath(asked)),
  };
}
