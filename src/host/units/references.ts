import { isAnywhere } from "./quadlet-rules.ts";
import { quadletSectionOf } from "./unit-keys.ts";
import { parseUnitName, type UnitName } from "./unit-kind.ts";
import { type EffectiveLine, type EffectiveUnit, setLines, splitWords } from "./unit-text.ts";

/**
 * Something that a unit needs and that may be in the repository: another unit by its file name, or a file or folder by
 * its path.
 */
export interface Reference {
  readonly kind: "unit" | "path";
  /** A path is absolute, or relative to the folder of the unit. */
  readonly name: string;
  readonly line: EffectiveLine;
}

/** What a unit names after its drop-ins, as podman and systemd look it up. */
export function referencesOf(unit: UnitName, effective: EffectiveUnit): Reference[] {
  const found = [...serviceFiles(effective)];
  if (unit.family === "native") return found;
  const own = quadletSectionOf(unit.type);
  for (const line of effective.sections.find(({ name }) => name === own)?.lines ?? []) {
    if (line.value === "") continue;
    for (const { kind, name } of lookups.get(line.key)?.(line.value, effective) ?? []) found.push({ kind, name, line });
  }
  for (const key of dependencyKeys) {
    for (const line of setLines(effective, "Unit", key)) {
      const names = line.value.split(/\s+/).filter((name) => parseUnitName(name)?.family === "quadlet");
      for (const name of names) found.push({ kind: "unit", name, line });
    }
  }
  return found;
}

type Named = Pick<Reference, "kind" | "name">;
type Lookup = (value: string, unit: EffectiveUnit) => readonly Named[];

const dependencyKeys = [
  ...[
    "After",
    "Before",
    "BindsTo",
    "Conflicts",
    "OnFailure",
    "OnSuccess",
    "PartOf",
    "PropagatesReloadTo",
    "PropagatesStopTo",
  ],
  ...["ReloadPropagatedFrom", "Requires", "Requisite", "StopPropagatedFrom", "Upholds", "Wants"],
];

/** A Quadlet file of one of these kinds, where the name ends so. */
function unitNamed(name: string, ...types: readonly string[]): Named[] {
  return types.some((type) => name.endsWith(`.${type}`)) ? [{ kind: "unit", name }] : [];
}

const paths: Lookup = (value) => (splitWords(value) ?? []).map((name) => ({ kind: "path", name }));
const image: Lookup = (value) => unitNamed(value, "image", "build");

/** Where a volume or mount comes from: a path begins with a dot or a slash, everything else is a name. */
function storage(source: string, ...types: readonly string[]): Named[] {
  return /^[./]/.test(source) ? [{ kind: "path", name: source }] : unitNamed(source, ...types);
}

const volume: Lookup = (value) => {
  const parts = value.split(":");
  return parts.length < 2 ? [] : storage(parts[0]!, "volume");
};

const mount: Lookup = (value) => {
  const tokens = value.split(",");
  const source = tokens.findLast((token) => /^(source|src)=/.test(token))?.replace(/^\w+=/, "");
  const resolved = ["type=volume", "type=bind", "type=image"].some((type) => tokens.includes(type));
  return source !== undefined && resolved ? storage(source, "volume", "image") : [];
};

/** The folder that is sent to a build: the unit's own, or one beside it. */
const buildFolder: Lookup = (value) => {
  const kind = value.toLowerCase();
  if (kind === "unit") return [{ kind: "path", name: "." }];
  return kind === "file" || kind === "yaml" || isAnywhere(value) ? [] : [{ kind: "path", name: value }];
};

/** A relative one is below the unit's folder if that, or its own, is where the build runs. */
const buildFile: Lookup = (value, unit) => {
  const folder = setLines(unit, "Build", "SetWorkingDirectory").at(-1)?.value.toLowerCase();
  return value.startsWith("/") || folder === "unit" || folder === "file" ? [{ kind: "path", name: value }] : [];
};

const lookups: ReadonlyMap<string, Lookup> = new Map(
  Object.entries<Lookup>({
    Network: (value) => unitNamed(value.split(":")[0]!, "network", "container"),
    Volume: volume,
    Mount: mount,
    Pod: (value) => unitNamed(value, "pod"),
    Image: image,
    EnvironmentFile: paths,
    Yaml: paths,
    ConfigMap: paths,
    File: buildFile,
    SetWorkingDirectory: (value, unit) =>
      unit.sections.some(({ name }) => name === "Build") ? buildFolder(value, unit) : [],
  }),
);

/**
 * Files that systemd reads for the service. It takes no relative path, and a dash in front means that the file may be
 * missing.
 */
function serviceFiles(effective: EffectiveUnit): Reference[] {
  const named = (key: string, pathOf: (value: string) => string | undefined): Reference[] =>
    setLines(effective, "Service", key).flatMap((line) => {
      const path = pathOf(line.value);
      return path?.startsWith("/") ? [{ kind: "path", name: path, line }] : [];
    });
  const behindColon = (value: string) => value.slice(value.indexOf(":") + 1);
  return [
    ...named("EnvironmentFile", (value) => value),
    ...named("LoadCredential", behindColon),
    ...named("LoadCredentialEncrypted", behindColon),
  ];
}
