import { closeSync, fchmodSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { type DeliveredContent, type EvaluatedHost, fileMode } from "./evaluation.ts";

/** Writes the desired state below a folder, for people to look at and for images to be built from. */
export function writeTree(evaluation: EvaluatedHost, folder: string, gate: Gate): void {
  refuseForeignLinks(gate, folder);
  if ((gate.list(folder) ?? []).length > 0)
    throw new InputError({
      code: "folder-not-empty",
      file: folder,
      message: "--output-dir must be a new or empty folder",
    });
  writeFiles(
    folder,
    evaluation.files.map(({ path, content }) => [path, content]),
  );
}

/** Files and links below a folder, which is made if it is missing. Nothing that stands there is replaced. */
export function writeFiles(folder: string, files: Iterable<readonly [string, DeliveredContent]>): void {
  const made = new Set<string>();
  const make = (path: string): void => {
    if (!made.has(path)) mkdirSync(path, { recursive: true });
    made.add(path);
  };
  make(folder);
  for (const [path, content] of files) {
    const place = join(folder, path);
    make(dirname(place));
    if (content.kind === "symlink") symlinkSync(content.target, place);
    else writeNew(place, content.bytes, fileMode(content));
  }
}

/** No umask counts. */
function writeNew(place: string, bytes: Uint8Array, mode: number): void {
  const file = openSync(place, "wx", mode);
  try {
    writeFileSync(file, bytes);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}
