import { systemdKeys } from "./systemd-keys.ts";
import type { QuadletType, UnitName } from "./unit-kind.ts";

/**
 * What a second assignment of a key does. `last`: replaces the first. `list`: adds to it, and an empty one clears.
 * `names`: a list of NAME=value words, where the last of a name wins. `dependency`: adds, and nothing clears it.
 * `condition`: a list in which an empty one clears all keys of its family.
 */
export type KeyRule = "last" | "list" | "names" | "dependency" | "condition";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ""));

interface SectionKeys {
  readonly last: ReadonlySet<string>;
  readonly list: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

const everyQuadletSection = { last: "ServiceName", list: "ContainersConfModule GlobalArgs PodmanArgs" };

function section(last: string, list: string, names: string): SectionKeys {
  return {
    last: words(`${everyQuadletSection.last} ${last}`),
    list: words(`${everyQuadletSection.list} ${list}`),
    names: words(names),
  };
}

const quadletSections: Readonly<Record<string, SectionKeys>> = {
  Container: section(
    `AppArmor AutoUpdate CgroupsMode ContainerName Entrypoint EnvironmentHost Exec Group HealthCmd HealthInterval HealthLogDestination
     HealthMaxLogCount HealthMaxLogSize HealthOnFailure HealthRetries HealthStartPeriod HealthStartupCmd HealthStartupInterval
     HealthStartupRetries HealthStartupSuccess HealthStartupTimeout HealthTimeout HostName HttpProxy IP IP6 Image LogDriver Memory
     NoNewPrivileges Notify PidsLimit Pod Pull ReadOnly ReadOnlyTmpfs ReloadCmd ReloadSignal RemapUidSize RemapUsers Retry RetryDelay
     Rootfs RunInit SeccompProfile SecurityLabelDisable SecurityLabelFileType SecurityLabelLevel SecurityLabelNested SecurityLabelType
     ShmSize StartWithPod StopSignal StopTimeout SubGIDMap SubUIDMap Timezone User UserNS VolatileTmp WorkingDir`,
    `AddCapability AddDevice AddHost DNS DNSOption DNSSearch DropCapability EnvironmentFile ExposeHostPort GIDMap GroupAdd LogOpt Mask
     Mount Network NetworkAlias PublishPort RemapGid RemapUid Secret Sysctl Tmpfs UIDMap Ulimit Unmask Volume`,
    "Annotation Environment Label",
  ),
  Volume: section("Copy Device Driver GID Group Image Options Type UID User VolumeName", "", "Label"),
  Network: section(
    "DisableDNS Driver IPAMDriver IPv6 InterfaceName Internal NetworkDeleteOnStop NetworkName",
    "DNS Gateway IPRange Options Subnet",
    "Label",
  ),
  Kube: section(
    "ExitCodePropagation KubeDownForce LogDriver RemapUidSize RemapUsers SetWorkingDirectory UserNS Yaml",
    "AutoUpdate ConfigMap LogOpt Network PublishPort RemapGid RemapUid",
    "",
  ),
  Image: section(
    "AllTags Arch AuthFile CertDir Creds DecryptionKey Image ImageTag OS Policy Retry RetryDelay TLSVerify Variant",
    "",
    "",
  ),
  Artifact: section("Artifact AuthFile CertDir Creds DecryptionKey Quiet Retry RetryDelay TLSVerify", "", ""),
  Build: section(
    "Arch AuthFile File ForceRM IgnoreFile Pull Retry RetryDelay SetWorkingDirectory TLSVerify Target Variant",
    "BuildArg DNS DNSOption DNSSearch GroupAdd ImageTag Network Secret Volume",
    "Annotation Environment Label",
  ),
  Pod: section(
    "ExitPolicy HostName IP IP6 PodName RemapUidSize RemapUsers ShmSize StopTimeout SubGIDMap SubUIDMap UserNS",
    "AddHost DNS DNSOption DNSSearch GIDMap Network NetworkAlias PublishPort RemapGid RemapUid UIDMap Volume",
    "Label",
  ),
  Quadlet: { last: words("DefaultDependencies"), list: words(""), names: words("") },
};

/** The section a Quadlet file of this type is about. */
export function quadletSectionOf(type: QuadletType): string {
  return capitalised(type);
}

function capitalised(type: UnitName["type"]): string {
  return type.charAt(0).toUpperCase() + type.slice(1);
}

/**
 * Whether anybody reads this section in a unit of this kind. podman passes on what is not its own to the service it
 * makes, and systemd skips what it does not know. Sections of other programs begin with `X-`.
 */
export function isReadSection(unit: UnitName, name: string): boolean {
  if (name === "Unit" || name === "Install" || name.startsWith("X-")) return true;
  if (unit.family === "quadlet")
    return name === "Service" || name === "Quadlet" || name === quadletSectionOf(unit.type);
  return unit.type !== "target" && name === capitalised(unit.type);
}

/**
 * Whether podman knows the key; undefined where the section is none that podman reads itself in a file of this type.
 */
export function isKnownQuadletKey(type: QuadletType, sectionName: string, key: string): boolean | undefined {
  if (sectionName !== "Quadlet" && sectionName !== quadletSectionOf(type)) return undefined;
  const keys = quadletSections[sectionName];
  return keys && (keys.last.has(key) || keys.list.has(key) || keys.names.has(key));
}

const systemdSections = new Map<string, ReadonlySet<string>>();

/** The keys that systemd reads in a section; undefined for a section that is not its own. */
export function systemdKeysIn(sectionName: string): ReadonlySet<string> | undefined {
  const known = systemdSections.get(sectionName);
  if (known !== undefined || !Object.hasOwn(systemdKeys, sectionName)) return known;
  const keys = words(systemdKeys[sectionName]!);
  systemdSections.set(sectionName, keys);
  return keys;
}

export function quadletKeysIn(type: QuadletType, sectionName: string): readonly string[] {
  const keys =
    sectionName === "Quadlet" || sectionName === quadletSectionOf(type) ? quadletSections[sectionName] : undefined;
  return keys === undefined ? [] : [...keys.last, ...keys.list, ...keys.names];
}

export function quadletKeyRule(type: QuadletType, sectionName: string, key: string): KeyRule {
  if (sectionName !== "Quadlet" && sectionName !== quadletSectionOf(type)) return systemdKeyRule(sectionName, key);
  const keys = quadletSections[sectionName];
  if (keys?.names.has(key)) return "names";
  return keys?.list.has(key) ? "list" : "last";
}

const dependencies = words(
  `After Before BindsTo Conflicts JoinsNamespaceOf OnFailure OnSuccess PartOf PropagatesReloadTo PropagatesStopTo ReloadPropagatedFrom
   Requires RequiresMountsFor Requisite StopPropagatedFrom Upholds Wants WantsMountsFor`,
);

/** systemd's lists. Every other key of its sections holds one value. */
const systemdLists = words(
  `Documentation Alias Also RequiredBy UpheldBy WantedBy
   ExecCondition ExecReload ExecStart ExecStartPost ExecStartPre ExecStop ExecStopPost ExecStopPre
   AmbientCapabilities BindPaths BindReadOnlyPaths CacheDirectory CapabilityBoundingSet ConfigurationDirectory DeviceAllow
   DisableControllers EnvironmentFile ExecPaths ExecSearchPath ExtensionDirectories ExtensionImages IPAddressAllow
   IPAddressDeny IPEgressFilterPath IPIngressFilterPath ImportCredential InaccessiblePaths LoadCredential LoadCredentialEncrypted
   LogExtraFields LogFilterPatterns LogsDirectory MountImages NoExecPaths OpenFile PassEnvironment ReadOnlyPaths ReadWritePaths
   RestartForceExitStatus RestartPreventExitStatus RestrictAddressFamilies RestrictFileSystems RestrictNetworkInterfaces RuntimeDirectory
   SetCredential SetCredentialEncrypted SocketBindAllow SocketBindDeny Sockets StateDirectory SuccessExitStatus SupplementaryGroups
   SystemCallArchitectures SystemCallErrorNumber SystemCallFilter SystemCallLog TemporaryFileSystem UnsetEnvironment
   IODeviceWeight IOReadBandwidthMax IOWriteBandwidthMax IOReadIOPSMax IOWriteIOPSMax IODeviceLatencyTargetSec
   ListenDatagram ListenFIFO ListenMessageQueue ListenNetlink ListenSequentialPacket ListenSpecial ListenStream ListenUSBFunction Symlinks
   OnActiveSec OnBootSec OnCalendar OnStartupSec OnUnitActiveSec OnUnitInactiveSec
   DirectoryNotEmpty PathChanged PathExists PathExistsGlob PathModified`,
);

export function systemdKeyRule(sectionName: string, key: string): KeyRule {
  if (sectionName === "Unit" && dependencies.has(key)) return "dependency";
  if (sectionName === "Unit" && conditionFamily(key) !== undefined) return "condition";
  if (key === "Environment") return "names";
  return systemdLists.has(key) ? "list" : "last";
}

/** Conditions are one list whatever they test: an empty one of them clears them all. Assertions are another. */
export function conditionFamily(key: string): "Condition" | "Assert" | undefined {
  if (key.startsWith("Condition")) return "Condition";
  return key.startsWith("Assert") ? "Assert" : undefined;
}

/**
 * Timers' triggers are one list too, and so are a path unit's and a socket's: an empty assignment of one clears the
 * others.
 */
export function clearsTogether(sectionName: string, key: string): string {
  const family = conditionFamily(key);
  if (sectionName === "Unit" && family) return family;
  if (sectionName === "Timer" && key.startsWith("On")) return "On*";
  if (sectionName === "Socket" && key.startsWith("Listen")) return "Listen*";
  if (sectionName === "Path" && (key.startsWith("Path") || key === "DirectoryNotEmpty")) return "Path*";
  return key;
}
