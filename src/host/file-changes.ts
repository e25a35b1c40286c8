import type { NextContent } from "../core/content.ts";
import { changesBytes } from "../core/plan-document.ts";
import type { Reader } from "../store/gate/gate.ts";
import type { Change } from "../store/transaction/transaction.ts";
import type { Content, Evaluation } from "./evaluate/evaluation.ts";
import { type FileDecision, pathOf } from "./file-decision.ts";
import { goingPaths } from "./file-entries.ts";
import { observe, observeWanted } from "./observe.ts";
import type { HostRegistry } from "./registry.ts";
import { type HostTarget, placeUnder } from "./target.ts";

/** The files to write or remove, for the store to do in one transaction. */
export function changesOf(
  evaluation: Evaluation,
  decisions: readonly FileDecision[],
  reader: Reader,
  target: HostTarget,
  registry: HostRegistry | undefined,
): Change[] {
  const going = goingPaths(evaluation, registry);
  const contents = new Map(evaluation.files.map((file) => [file.path, file.content]));
  return decisions
    .filter((decision) => changesBytes(decision))
    .flatMap((decision): Change[] => {
      const path = pathOf(decision);
      const look = decision.desired === undefined ? observe : observeWanted;
      const { real, seen } = look(reader, target.root, path, going);
      if (seen.kind === "other") return [];
      const content = decision.outcome.result === undefined ? undefined : contents.get(path);
      const removeFolders = content === undefined ? (registry?.files[path]?.created?.folders ?? []) : [];
      return [
        {
          path: placeUnder(target.root, path),
          real,
          before: seen,
          after: afterOf(content),
          section: path,
          removeFolders: removeFolders.map((folder) => reader.realPath(placeUnder(target.root, folder))),
        },
      ];
    });
}

/** Modes are ours to set: a repository says which files are programs, and the umask of whoever runs us does not count. */
function afterOf(content: Content | undefined): NextContent {
  if (content === undefined) return { kind: "absent" };
  if (content.kind === "symlink") return { kind: "link", target: content.target };
  return { kind: "file", bytes: content.bytes, mode: { exact: content.executable ? 0o755 : 0o644 } };
}
