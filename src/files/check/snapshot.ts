import { join } from "node:path";
import { sha256 } from "../../store/gate/content.ts";
import type { Reader } from "../../store/gate/gate.ts";

/** Everything below a folder, by path: files by their content, folders and links by what they are. */
export type Snapshot = ReadonlyMap<string, string>;

export function snapshot(reader: Reader, folder: string): Snapshot {
  const found = new Map<string, string>();
  const visit = (at: string) => {
    for (const name of reader.list(at) ?? []) {
      const path = join(at, name);
      const status = reader.stat(path);
      if (status?.kind === "file") found.set(path, `${status.mode} ${sha256(reader.read(path)!)}`);
      else found.set(path, status?.kind === "link" ? `link ${reader.readLink(path)}` : (status?.kind ?? "gone"));
      if (status?.kind === "folder") visit(path);
    }
  };
  visit(folder);
  return found;
}

/** The paths at which two snapshots differ, in order. */
export function differences(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
