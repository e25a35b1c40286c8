import type { Node, Path } from "../formats/format.ts";
import type { FileActual } from "./reading.ts";

export function nodeAt(root: Node, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, step) => (typeof step === "string" ? node?.get(step) : node?.items()[step]), root);
}

/** The container's name at each step of an entry's path, as the tree of a template would call it. */
export function containerNames(entry: FileActual): string[] {
  const identities = new Map(entry.steps.map((step) => [step.pathIndex, step.identity]));
  const names = [""];
  entry.path.slice(0, -1).forEach((step, i) => {
    names.push(`${names.at(-1)}${typeof step === "string" ? `.${step}` : `[${identities.get(i) ?? ""}]`}`);
  });
  return names;
}

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}
