import { positionsIn, type TextPosition } from "../../core/diagnostic.ts";
import type { Node } from "../../formats/format.ts";
import { readYamlText } from "../../formats/yaml/node.ts";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";

/**
 * `hosts/<host>/host.yaml`: who the host is, and the services it wants. Nothing else: no groups, no roles, no
 * variables.
 */
export interface HostDeclaration {
  readonly host: string;
  readonly services: readonly SelectedService[];
}

export interface SelectedService {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

export type DeclarationResult =
  | { readonly kind: "read"; readonly declaration: HostDeclaration }
  | { readonly kind: "invalid"; readonly diagnostics: readonly HostDiagnostic[] };

/** A name that can be a folder and nothing else. */
export function isSafeName(name: string): boolean {
  return /^[A-Za-z0-9_@:][A-Za-z0-9_.@:-]*$/.test(name) && name.length <= 200;
}

/** Read as any YAML file, within its limits, with what is wrong where. */
export function readHostDeclaration(text: string, file: string, folder: string): DeclarationResult {
  const positionOf = positionsIn(text);
  const diagnostics: HostDiagnostic[] = [];
  const complain = (offset: number, message: string): void => {
    diagnostics.push(diagnose("invalid-host-yaml", { file, ...positionOf(offset) }, message));
  };
  const read = readYamlText(text);
  if (read.kind === "malformed") complain(read.offset, read.message);
  else if (read.root.kind !== "map" || read.root.isEmptyRoot)
    complain(start(read.root), "must hold a map with host: and services:");
  if (read.kind === "malformed" || diagnostics.length > 0) return { kind: "invalid", diagnostics };
  const { root } = read;
  for (const name of root.names()) {
    if (name === "host" || name === "services") continue;
    complain(root.get(name)!.entryRanges[0]!.start, `has an unknown key "${name}": only host and services are known`);
  }
  const about = (node: Node | undefined, message: string): void => complain(start(node ?? root), message);
  const host = readHost(root.get("host"), folder, about);
  const services = readServices(root.get("services"), positionOf, about);
  if (diagnostics.length > 0 || host === undefined || services === undefined) return { kind: "invalid", diagnostics };
  return { kind: "read", declaration: { host, services } };
}

type Complain = (node: Node | undefined, message: string) => void;

function readHost(node: Node | undefined, folder: string, complain: Complain): string | undefined {
  const value = node?.kind === "scalar" ? node.value() : undefined;
  if (typeof value !== "string" || value === "") complain(node, "needs host: with the host's name");
  else if (value !== folder) complain(node, `says host: ${value}, but stands in hosts/${folder}/: the two must agree`);
  else return value;
  return undefined;
}

function readServices(
  node: Node | undefined,
  positionOf: (offset: number) => TextPosition,
  complain: Complain,
): SelectedService[] | undefined {
  if (node?.kind !== "list") {
    complain(node, "needs services: with a list of service names (an empty list is [])");
    return undefined;
  }
  const services = new Map<string, SelectedService>();
  for (const item of node.items()) {
    const value = item.kind === "scalar" ? item.value() : undefined;
    if (typeof value !== "string" || !isSafeName(value))
      complain(item, "a service is a plain name, the name of a folder in services/");
    else if (services.has(value)) complain(item, `selects ${value} twice`);
    else services.set(value, { name: value, ...positionOf(start(item)) });
  }
  return [...services.values()];
}

function start(node: Node): number {
  return node.ranges[0]?.start ?? 0;
}
