import { evaluateFor } from "../../src/host/evaluate/evaluate.ts";
import { type EvaluatedHost, systemLayout } from "../../src/host/evaluate/evaluation.ts";
import { type Catalog, openCatalog } from "../../src/host/evaluate/service.ts";
import { repositoryTree, type TreeEntry } from "../../src/host/repository/tree.ts";

/** A file's text, or its bytes, or anything else that can stand in a tree. */
export type Given = string | Uint8Array | TreeEntry;

/** A repository in memory, from paths and what stands there. */
export function repository(files: Readonly<Record<string, Given>>): Catalog {
  return openCatalog(repositoryTree(Object.entries(files).map(([path, given]) => [path, entryOf(given)] as const)));
}

function entryOf(given: Given): TreeEntry {
  if (typeof given === "string") return { kind: "file", bytes: Buffer.from(given), executable: false };
  return given instanceof Uint8Array ? { kind: "file", bytes: given, executable: false } : given;
}

export function link(target: string): TreeEntry {
  return { kind: "symlink", target };
}

export const container = "[Container]\nImage=example.org/web:1\n";

/** One service `web` with a container, selected by the host `box`; more files on top. */
export function webOnBox(files: Readonly<Record<string, Given>> = {}): Catalog {
  return repository({
    "services/web/quadlet/web.container": container,
    "hosts/box/host.yaml": "host: box\nservices: [web]\n",
    ...files,
  });
}

export function evaluateBox(files: Readonly<Record<string, Given>> = {}): EvaluatedHost {
  return evaluateFor(webOnBox(files), "box", systemLayout);
}

/** `code file:line` of every diagnostic, in order. */
export function told(evaluation: EvaluatedHost): string[] {
  return evaluation.diagnostics.map(({ code, file, line }) =>
    [code, [file, line].filter((part) => part !== undefined).join(":")].join(" ").trim(),
  );
}

export function pathsOf(evaluation: EvaluatedHost): string[] {
  return evaluation.files.map((file) => file.path);
}

export function textOf(evaluation: EvaluatedHost, path: string): string {
  const content = evaluation.files.find((file) => file.path === path)?.content;
  if (content === undefined) throw new Error(`${path} is not in the desired state`);
  return content.kind === "file" ? Buffer.from(content.bytes).toString() : `-> ${content.target}`;
}
