import type { PathContext, Platform } from "./path-context.ts";

/**
 * A path taken apart, with one separator and without `.`, `..` and empty names.
 * `root` is undefined for a relative path, "" for `/`, `C:` for a drive, `//server/share` for a network share.
 */
export interface Spelling {
  readonly root: string | undefined;
  readonly names: readonly string[];
  /**
   * A relative path that must keep its `./`, because its first name would mean something else at the start of a text.
   */
  readonly dotted: boolean;
}

/** At the start of a path these stand for something else: a home, a variable, a drive. */
const meaningfulStart = /^([~$%\0]|[A-Za-z]:)/;

/**
 * Takes a path apart by its platform's rules. Variables are expanded before; those still there are names nobody can see
 * through.
 */
export function spellingOf(text: string, ctx: Pick<PathContext, "platform" | "env">): Spelling {
  if (ctx.platform === "win32") return windowsSpelling(text);
  if (ctx.env.WSL_DISTRO_NAME !== undefined && isDrivePath(text)) return mounted(windowsSpelling(text));
  if (text.startsWith("/")) return { root: "", names: collapse(text.split("/"), true), dotted: false };
  return relative(text, text.split("/"));
}

/** As the platform a text was evidently written on spells it: a home may come from another machine. */
export function foreignSpelling(text: string): Spelling {
  return isDrivePath(text) || text.startsWith("\\\\")
    ? windowsSpelling(text)
    : spellingOf(text, { platform: "linux", env: {} });
}

export function pathText({ root, names, dotted }: Spelling): string {
  if (root === undefined) return names.length === 0 ? "." : `${dotted ? "./" : ""}${names.join("/")}`;
  return names.length === 0 && root.startsWith("//") ? root : `${root}/${names.join("/")}`;
}

export function isDrivePath(text: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(text);
}

export function platformOf(spelling: Spelling, otherwise: Platform): Platform {
  return spelling.root === undefined || spelling.root === "" ? otherwise : "win32";
}

function windowsSpelling(written: string): Spelling {
  const text = withoutDevicePrefix(written.replaceAll("\\", "/"));
  if (/^[A-Za-z]:(\/|$)/.test(text)) return drive(text.charAt(0), collapse(text.slice(2).split("/"), true));
  if (text.startsWith("//") && !text.startsWith("///")) return share(text);
  if (!text.startsWith("/")) return relative(text, text.split("/"));
  const names = collapse(text.split("/"), true);
  return mountedDrive(names) ?? { root: "", names, dotted: false };
}

/** `\\?\C:\x` is `C:\x` without a length limit, `\\?\UNC\server\share` is `\\server\share`. */
function withoutDevicePrefix(text: string): string {
  if (!text.startsWith("//?/")) return text;
  const rest = text.slice(4);
  if (rest.toUpperCase().startsWith("UNC/")) return `//${rest.slice(4)}`;
  return isDrivePath(rest) ? rest : text;
}

/** A drive as WSL (`/mnt/c`), Cygwin (`/cygdrive/c`) and Git Bash (`/c/…`, where agents run their hooks) name it. */
function mountedDrive(names: readonly string[]): Spelling | undefined {
  const [first = "", second = ""] = names;
  if ((first === "mnt" || first === "cygdrive") && isDriveLetter(second)) return drive(second, names.slice(2));
  // A lone `/c` is far more often an option of cmd than a drive.
  return isDriveLetter(first) && names.length > 1 ? drive(first, names.slice(1)) : undefined;
}

function isDriveLetter(name: string): boolean {
  return /^[A-Za-z]$/.test(name);
}

function drive(letter: string, names: readonly string[]): Spelling {
  return { root: `${letter.toUpperCase()}:`, names, dotted: false };
}

/** `//server/share/…`. Server names have no case anywhere; WSL's own server has two names. */
function share(text: string): Spelling {
  const [server = "", shareName, ...rest] = text.split("/").filter((name) => name !== "");
  if (server === "") return { root: "", names: [], dotted: false };
  const host = server.toLowerCase() === "wsl$" ? "wsl.localhost" : server.toLowerCase();
  const root = shareName === undefined ? `//${host}` : `//${host}/${shareName}`;
  return { root, names: collapse(rest, true), dotted: false };
}

/** Inside WSL a Windows drive is a folder under `/mnt`. */
function mounted({ root = "", names }: Spelling): Spelling {
  return { root: "", names: ["mnt", root.charAt(0).toLowerCase(), ...names], dotted: false };
}

function relative(text: string, written: readonly string[]): Spelling {
  const names = collapse(written, false);
  const first = names[0] ?? "";
  return { root: undefined, names, dotted: meaningfulStart.test(first) && !text.startsWith(first) };
}

/**
 * Without empty names, `.` and `name/..`. A name that holds a variable is kept before `..`: it may be several names.
 */
function collapse(names: readonly string[], absolute: boolean): readonly string[] {
  const kept: string[] = [];
  for (const name of names) {
    if (name === "" || name === ".") continue;
    const last = kept.at(-1);
    if (name !== "..") kept.push(name);
    else if (last === undefined ? !absolute : last === ".." || /[$%\0]/.test(last)) kept.push(name);
    else kept.pop();
  }
  return kept;
}

/** Devices: in every folder, whatever ending and however many blanks follow. What is written to them is gone. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?: *[.:].*)?$/i;

/**
 * Why a path can't name a file on Windows, in words; undefined where it can. Windows takes some of these names for
 * something else and says nothing: `NUL` is a device, `notes.txt:x` a hidden stream of `notes.txt`, `a.` the file `a`.
 */
export function unusableOnWindows(path: string, platform: Platform): string | undefined {
  if (platform !== "win32") return undefined;
  const names = path
    .replace(/^\\\\[?.]\\/, "")
    .replace(/^[A-Za-z]:/, "")
    .split(/[\\/]/);
  for (const name of names.filter((each) => each !== "" && each !== "." && each !== "..")) {
    if (device.test(name.trimEnd())) return `${name} is the name of a device on Windows`;
    const sign = /[<>:"|?*\x00-\x1f]/.exec(name)?.[0];
    if (sign !== undefined) return `${name} contains ${JSON.stringify(sign)}, which no name on Windows can`;
    if (/[. ]$/.test(name)) return `Windows drops the ${name.endsWith(".") ? "dot" : "blank"} at the end of ${name}`;
  }
  return undefined;
}
