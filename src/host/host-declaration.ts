import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { diagnose, type HostDiagnostic } from "./diagnostics.ts";
import { readPlainDeclaration } from "./plain-declaration.ts";

/** `hosts/<host>/host.yaml`: who the host is, and the services it wants. Nothing else: no groups, no roles, no variables. */
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

export function readHostDeclaration(text: string, file: string, folder: string): DeclarationResult {
  const plain = readPlainDeclaration(text, folder);
  return plain === undefined ? parseHostDeclaration(text, file, folder) : { kind: "read", declaration: plain };
}

/** The same by a YAML parser, for every form there is, with what is wrong where. */
export function parseHostDeclaration(text: string, file: string, folder: string): DeclarationResult {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const diagnostics: HostDiagnostic[] = [];
  const complain = (offset: number, message: string): void => {
    const { line, col } = lines.linePos(offset);
    diagnostics.push(diagnose("invalid-host-yaml", { file, line: Math.max(1, line), column: Math.max(1, col) }, message));
  };
  for (const error of document.errors)
    complain(error.pos[0], `not valid YAML: ${error.message.split("\n")[0]!.replace(/ at line .*$/, "")}`);
  if (diagnostics.length > 0) return { kind: "invalid", diagnostics };
  const root = document.contents;
  if (!isMap(root)) {
    complain(root?.range?.[0] ?? 0, "must hold a map with host: and services:");
    return { kind: "invalid", diagnostics };
  }
  const fields = new Map<string, Node | null>();
  for (const pair of root.items) {
    const key = pair.key as Node;
    const name = isScalar(key) ? String(key.value) : "?";
    fields.set(name, pair.value as Node | null);
    if (name !== "host" && name !== "services") complain(start(key), `has an unknown key "${name}": only host and services are known`);
  }
  const host = readHost(fields.get("host"), folder, (node, message) => complain(node ? start(node) : start(root), message));
  const services = readServices(fields.get("services"), lines, (node, message) => complain(node ? start(node) : start(root), message));
  if (diagnostics.length > 0 || host === undefined || services === undefined) return { kind: "invalid", diagnostics };
  return { kind: "read", declaration: { host, services } };
}

type Complain = (node: Node | null | undefined, message: string) => void;

function readHost(node: Node | null | undefined, folder: string, complain: Complain): string | undefined {
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value !== "string" || value === "") complain(node, "needs host: with the host's name");
  else if (value !== folder) complain(node, `says host: ${value}, but stands in hosts/${folder}/: the two must agree`);
  else return value;
  return undefined;
}

function readServices(node: Node | null | undefined, lines: LineCounter, complain: Complain): SelectedService[] | undefined {
  if (!isSeq(node)) {
    complain(node, "needs services: with a list of service names (an empty list is [])");
    return undefined;
  }
  const services: SelectedService[] = [];
  const seen = new Set<string>();
  for (const item of node.items as Node[]) {
    const name = isScalar(item) && typeof item.value === "string" ? item.value : undefined;
    if (name === undefined || !isSafeName(name)) complain(item, "a service is a plain name, the name of a folder in services/");
    else if (seen.has(name)) complain(item, `selects ${name} twice`);
    else {
      seen.add(name);
      const { line, col } = lines.linePos(start(item));
      services.push({ name, line, column: col });
    }
  }
  return services;
}

function start(node: Node): number {
  return node.range?.[0] ?? 0;
}
