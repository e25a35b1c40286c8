import { hostsFolder, servicesFolder } from "../repository/repository-names.ts";
import { type RepositoryTree, resolveEntry } from "../repository/tree.ts";
import { readService, type Service, unitNamesOf } from "./service.ts";

/** A repository, opened: its services are read once, and only those that somebody selects. */
export interface Catalog {
  readonly tree: RepositoryTree;
  /** The names in `hosts/`, in byte order. */
  readonly hosts: readonly string[];
  readonly services: readonly string[];
  service(name: string): Service | undefined;
  /** The services, selected or not, that have a unit of this name. */
  ownersOf(unit: string): readonly string[];
}

export function openCatalog(tree: RepositoryTree): Catalog {
  const foldersIn = (folder: string): string[] =>
    tree
      .names(folder)
      .filter((name) => !name.startsWith(".") && resolveEntry(tree, `${folder}/${name}`).kind === "folder");
  const services = foldersIn(servicesFolder);
  const known = new Set(services);
  const read = new Map<string, Service>();
  let owners: Map<string, string[]> | undefined;
  return {
    tree,
    services,
    hosts: foldersIn(hostsFolder),
    service(name) {
      if (!known.has(name)) return undefined;
      const service = read.get(name) ?? readService(tree, name);
      read.set(name, service);
      return service;
    },
    ownersOf(unit) {
      owners ??= indexUnits(tree, services);
      return owners.get(unit) ?? [];
    },
  };
}

function indexUnits(tree: RepositoryTree, services: readonly string[]): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const service of services) {
    for (const unit of unitNamesOf(tree, service)) {
      const known = owners.get(unit);
      if (known) known.push(service);
      else owners.set(unit, [service]);
    }
  }
  return owners;
}
