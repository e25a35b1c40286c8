import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { quadletSectionOf } from "./unit-keys.ts";
import type { QuadletType, UnitName } from "./unit-kind.ts";
import { type EffectiveLine, type EffectiveUnit, placeOf, setLines } from "./unit-text.ts";

/** A unit after its drop-ins, as the rules look at it. */
interface Unit {
  readonly type: QuadletType;
  /** The lines of a key in the unit's own section that set something. */
  all(key: string): readonly EffectiveLine[];
  last(key: string): EffectiveLine | undefined;
  /** The last value in `[Service]`. */
  service(key: string): EffectiveLine | undefined;
}

/** What podman would say, and the line that it is about: none where something is missing. */
interface Refusal {
  readonly message: string;
  readonly at: EffectiveLine | undefined;
}

type Rule = (unit: Unit) => Refusal | undefined;

/** What podman's generator refuses although it knows every key: keys that exclude or need each other. */
export function checkQuadletRules(unit: UnitName, effective: EffectiveUnit, file: string): HostDiagnostic[] {
  if (unit.family === "native") return [];
  const own = quadletSectionOf(unit.type);
  const looked: Unit = {
    type: unit.type,
    all: (key) => setLines(effective, own, key),
    last: (key) => setLines(effective, own, key).at(-1),
    service: (key) => setLines(effective, "Service", key).at(-1),
  };
  return rules[unit.type].flatMap((rule) => {
    const refusal = rule(looked);
    if (refusal === undefined) return [];
    const place = refusal.at ? placeOf(refusal.at) : { file, line: 1, column: 1 };
    return [diagnose("invalid-unit", place, `${refusal.message}: podman refuses the unit`)];
  });
}

const groupNeedsUser: Rule = ({ last }) =>
  last("User") === undefined ? refuse(last("Group"), "sets Group= without User=") : undefined;

const imageOrRootfs: Rule = ({ last }) =>
  last("Image") === undefined
    ? undefined
    : refuse(last("Rootfs"), "sets Rootfs= beside Image=: only one of them can be");

const [mappingKeys, remapKeys] = [
  ["UserNS", "UIDMap", "GIDMap", "SubUIDMap", "SubGIDMap"],
  ["RemapUid", "RemapGid", "RemapUsers"],
];

const userMappings: Rule = ({ type, last, all }) => {
  const [mapping, remap] = [mappingKeys.find(last), remapKeys.map(last).find((line) => line !== undefined)];
  if (mapping !== undefined)
    return refuse(remap, `sets ${remap?.key}= beside ${mapping}=: the older Remap keys can't be combined with it`);
  const users = last("RemapUsers");
  if (users === undefined) return refuse(remap, `sets ${remap?.key}= without RemapUsers=`);
  if (users.value === "manual" && type === "kube")
    return refuse(users, "sets RemapUsers=manual, which a .kube can't have");
  if (!["manual", "auto", "keep-id"].includes(users.value))
    return refuse(users, "has an unknown RemapUsers=: use manual, auto or keep-id");
  if (users.value !== "keep-id") return undefined;
  const second = all("RemapUid")[1] ?? all("RemapGid")[1];
  return refuse(second, `sets ${second?.key}= twice, but RemapUsers=keep-id takes only one`);
};

const killMode: Rule = ({ service }) => {
  const mode = service("KillMode");
  return mode === undefined || ["mixed", "control-group"].includes(mode.value)
    ? undefined
    : refuse(mode, `sets KillMode=${mode.value}: containers allow only mixed and control-group`);
};

const serviceType: Rule = ({ service }) => {
  const type = service("Type");
  return type === undefined || ["notify", "oneshot"].includes(type.value)
    ? undefined
    : refuse(type, `sets Type=${type.value}: containers allow only notify and oneshot`);
};

const exposedPorts: Rule = ({ all }) =>
  refuse(
    all("ExposeHostPort").find(({ value }) => !/\d(\/udp|\/tcp)?$/.test(value.trim())),
    "sets an ExposeHostPort= that is neither a port nor a range",
  );

const podIsUnit: Rule = ({ last }) => {
  const pod = last("Pod");
  return pod?.value.endsWith(".pod")
    ? undefined
    : refuse(pod, "sets a Pod= that is not a unit; give the name of a .pod file");
};

const reloadOnce: Rule = ({ last }) =>
  last("ReloadCmd") === undefined ? undefined : refuse(last("ReloadSignal"), "sets ReloadSignal= beside ReloadCmd=");

const containerNetworks: Rule = ({ all }) =>
  refuse(
    all("Network").find(({ value }) => /\.container:/.test(value)),
    "gives options to the network of a container, which takes none",
  );

const mountSources: Rule = ({ all }) =>
  refuse(
    all("Mount").find(({ value }) => needsSource(value)),
    "mounts something without source=",
  );

function needsSource(mount: string): boolean {
  const tokens = mount.split(",");
  const type = tokens.find((token) => token.startsWith("type="))?.slice("type=".length) ?? "volume";
  return ["bind", "glob", "image"].includes(type) && !tokens.some((token) => /^(source|src)=./.test(token));
}

const addresses: Rule = ({ all }) => {
  const subnets = all("Subnet").length;
  for (const key of ["Gateway", "IPRange"]) {
    const surplus = all(key)[subnets];
    if (surplus === undefined) continue;
    return refuse(surplus, subnets === 0 ? `sets ${key}= without Subnet=` : `sets more ${key}= than Subnet=`);
  }
  return undefined;
};

const imageDriver: Rule = ({ last }) => {
  const driver = last("Driver");
  return driver?.value === "image" && last("Image") === undefined
    ? refuse(driver, "sets Driver=image without Image=")
    : undefined;
};

const typeNeedsDevice: Rule = ({ last }) =>
  last("Driver")?.value === "image" || last("Device") !== undefined
    ? undefined
    : refuse(last("Type"), "sets Type= without Device=");

const workingDirectory: Rule = ({ type, last }) => {
  const wanted = last("SetWorkingDirectory");
  const kind = wanted?.value.toLowerCase();
  if (wanted === undefined || kind === "unit") return undefined;
  if (type === "kube")
    return kind === "yaml" ? undefined : refuse(wanted, "sets a SetWorkingDirectory= other than yaml or unit");
  if (kind === "yaml") return refuse(wanted, "sets SetWorkingDirectory=yaml, which only a .kube can have");
  return kind === "file" && last("File") === undefined
    ? refuse(wanted, "sets SetWorkingDirectory=file without File=")
    : undefined;
};

const buildContext: Rule = ({ last, service }) => {
  const [file, folder] = [last("File"), last("SetWorkingDirectory") ?? service("WorkingDirectory")];
  if (folder !== undefined) return undefined;
  if (file === undefined)
    return { at: undefined, message: "needs File= or SetWorkingDirectory= in [Build], and no drop-in sets it" };
  return isAnywhere(file.value) ? undefined : refuse(file, "sets a relative File= without SetWorkingDirectory=");
};

/** An absolute path, a specifier that stands for one, or an address. */
export function isAnywhere(path: string): boolean {
  return path.startsWith("/") || /^%[^%]/.test(path) || /^(https?|git):\/\/|^github\.com\//.test(path);
}

function refuse(at: EffectiveLine | undefined, message: string): Refusal | undefined {
  return at === undefined ? undefined : { at, message };
}

const rules: Readonly<Record<QuadletType, readonly Rule[]>> = {
  container: [
    groupNeedsUser,
    imageOrRootfs,
    userMappings,
    killMode,
    serviceType,
    exposedPorts,
    podIsUnit,
    reloadOnce,
    containerNetworks,
    mountSources,
  ],
  pod: [userMappings, containerNetworks],
  kube: [userMappings, killMode, serviceType, workingDirectory, containerNetworks],
  network: [addresses],
  volume: [imageDriver, typeNeedsDevice],
  build: [workingDirectory, buildContext],
  image: [],
  artifact: [],
};
