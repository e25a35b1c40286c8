import { positionsIn, type TextPosition } from "../../core/diagnostic.ts";
import type { Node } from "../../formats/format.ts";
import { readYamlText } from "../../formats/yaml/node.ts";
import type { Complain } from "../diagnostics.ts";

/** A service that a host wants, and where its declaration says so. */
export interface SelectedService {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** A name that can be a folder and nothing else. */
export function isSafeName(name: string): boolean {
  return /^[A-Za-z0-9_@:][A-Za-z0-9_.@:-]*$/.test(name) && name.length <= 200;
}

/**
 * The services that `hosts/<host>/host.yaml` selects; undefined where something in it is wrong. It says who the host is
 * and what it wants, and nothing else: no groups, no roles, no variables.
 */
export function readHostDeclaration(
  text: string,
  file: string,
  host: string,
  complain: Complain,
): readonly SelectedService[] | undefined {
  const positionOf = positionsIn(text);
  let isValid = true;
  const refuse = (offset: number, message: string): void => {
    isValid = false;
    complain("invalid-host-yaml", { file, ...positionOf(offset) }, message);
  };
  const read = readYamlText(text);
  if (read.kind === "malformed") refuse(read.offset, read.message);
  else if (read.root.kind !== "map" || read.root.isEmptyRoot)
    refuse(start(read.root), "must hold a map with host: and services:");
  if (read.kind === "malformed" || !isValid) return undefined;
  const { root } = read;
  for (const name of root.names()) {
    if (name === "host" || name === "services") continue;
    refuse(root.get(name)!.entryRanges[0]!.start, `has an unknown key "${name}": only host and services are known`);
  }
  const about = (node: Node | undefined, message: string): void => refuse(start(node ?? root), message);
  checkHost(root.get("host"), host, about);
  const services = readServices(root.get("services"), positionOf, about);
  return isValid ? services : undefined;
}

type Refuse = (node: Node | undefined, message: string) => void;

function checkHost(node: Node | undefined, host: string, refuse: Refuse): void {
  const value = node?.kind === "scalar" ? node.value() : undefined;
  if (typeof value !== "string" || value === "") refuse(node, "needs host: with the host's name");
  else if (value !== host) refuse(node, `says host: ${value}, but stands in hosts/${host}/: the two must agree`);
}

function readServices(
  node: Node | undefined,
  positionOf: (offset: number) => TextPosition,
  refuse: Refuse,
): SelectedService[] {
  if (node?.kind !== "list") {
    refuse(node, "needs services: with a list of service names (an empty list is [])");
    return [];
  }
  const services = new Map<string, SelectedService>();
  for (const item of node.items()) {
    const value = item.kind === "scalar" ? item.value() : undefined;
    if (typeof value !== "string" || !isSafeName(value))
      refuse(item, "a service is a plain name, the name of a folder in services/");
    else if (services.has(value)) refuse(item, `selects ${value} twice`);
    else services.set(value, { name: value, ...positionOf(start(item)) });
  }
  return [...services.values()];
}

function start(node: Node): number {
  return node.ranges[0]?.start ?? 0;
}
