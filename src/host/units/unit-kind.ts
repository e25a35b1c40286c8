/** Files that podman's generator turns into services. */
export const quadletTypes = ["container", "volume", "network", "pod", "kube", "image", "build", "artifact"] as const;
export type QuadletType = (typeof quadletTypes)[number];

/** Units that systemd reads itself. */
export const nativeTypes = ["socket", "service", "timer", "path", "mount", "target"] as const;
export type NativeType = (typeof nativeTypes)[number];

export type UnitName =
  | { readonly family: "quadlet"; readonly type: QuadletType; readonly stem: string; readonly name: string }
  | { readonly family: "native"; readonly type: NativeType; readonly stem: string; readonly name: string };

const typeFamily = new Map<string, "quadlet" | "native">([
  ...quadletTypes.map((type) => [type, "quadlet"] as const),
  ...nativeTypes.map((type) => [type, "native"] as const),
]);

/**
 * The extension decides, never the folder. Undefined for what is neither Quadlet's nor one of the native kinds we
 * manage.
 */
export function parseUnitName(name: string): UnitName | undefined {
  const dot = name.lastIndexOf(".");
  const family = dot > 0 ? typeFamily.get(name.slice(dot + 1)) : undefined;
  if (family === undefined) return undefined;
  return { family, type: name.slice(dot + 1), stem: name.slice(0, dot), name } as UnitName;
}

/** What systemd accepts as the name of a unit. */
export function isValidUnitName(unit: UnitName): boolean {
  return unit.name.length <= 255 && /^[A-Za-z0-9:_.\\@-]+$/.test(unit.stem) && !unit.stem.startsWith("@");
}

/** What a folder `X.d` of drop-ins is for. `foreign`: it would reach units that are not named in it. */
export type DropInTarget =
  | { readonly kind: "unit"; readonly unit: UnitName }
  | { readonly kind: "foreign" }
  | { readonly kind: "none" };

export function parseDropInFolder(folder: string): DropInTarget {
  if (!folder.endsWith(".d")) return { kind: "none" };
  const name = folder.slice(0, -2);
  // `container.d` and `service.d` reach every unit of the type, `foo-.container.d` every unit whose name begins so.
  if (typeFamily.has(name)) return { kind: "foreign" };
  const unit = parseUnitName(name);
  if (unit === undefined) return { kind: "none" };
  return unit.stem.endsWith("-") ? { kind: "foreign" } : { kind: "unit", unit };
}

/** `foo@.container` for `foo@1.container`; undefined for a unit that is no instance. */
export function templateOf(unit: UnitName): string | undefined {
  const at = unit.stem.indexOf("@");
  return at > 0 && at < unit.stem.length - 1 ? `${unit.stem.slice(0, at + 1)}.${unit.type}` : undefined;
}

export function isTemplate(unit: UnitName): boolean {
  return unit.stem.endsWith("@");
}

/**
 * The drop-ins that are read for a unit, in that order: an instance has those of its template, too, but for names that
 * it has itself. `byUnit`: in the order of their names, by the unit that their folder is called after.
 */
export function dropInsOf<D>(
  unit: UnitName,
  byUnit: ReadonlyMap<string, readonly D[]>,
  nameOf: (dropIn: D) => string,
): readonly D[] {
  const own = byUnit.get(unit.name) ?? [];
  const inherited = byUnit.get(templateOf(unit) ?? "") ?? [];
  if (inherited.length === 0) return own;
  const names = new Set(own.map(nameOf));
  const visible = inherited.filter((dropIn) => !names.has(nameOf(dropIn)));
  return [...own, ...visible].sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
}

/**
 * The unit that systemd runs for a file: itself, or the service podman generates from it. `serviceName` is its
 * `ServiceName=`.
 */
export function runtimeUnit(unit: UnitName, serviceName: string | undefined): string {
  if (unit.family === "native") return unit.name;
  if (serviceName) return `${serviceName}.service`;
  return unit.type === "container" || unit.type === "kube"
    ? `${unit.stem}.service`
    : `${unit.stem}-${unit.type}.service`;
}

/**
 * What else systemd may know a unit as: podman 5.7 and later make `foo-network@.service` of `foo@.network`, not
 * `foo@-network.service`.
 */
export function laterRuntimeUnit(unit: UnitName, serviceName: string | undefined): string {
  if (!isTemplate(unit) || unit.family === "native" || serviceName || unit.type === "container" || unit.type === "kube")
    return runtimeUnit(unit, serviceName);
  return `${unit.stem.slice(0, -1)}-${unit.type}@.service`;
}

/**
 * The order of the UTF-8 bytes, which is what systemd, podman and Git sort names by. JavaScript's own order differs
 * beyond U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return rank(x) < rank(y) ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** Halves of what is beyond U+FFFF come last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
