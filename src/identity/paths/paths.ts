import type { PathContext } from "./path-context.ts";
import { foreignSpelling, pathText, platformOf, type Spelling, spellingOf } from "./spelling.ts";

/**
 * One text for one place on this machine, today: for comparing, never for storing. Whatever stands in a template, a
 * target or a record goes through this same function, so it does not matter which of them spelled the home or followed
 * a link.
 */
export function canonicalPath(text: string, ctx: PathContext): string {
  return isUrl(text) || text === ""
    ? text
    : canonicalOf(expandTilde(expandVariables(expandProfile(text, ctx), ctx), ctx), ctx);
}

/** One text for a link itself, wherever it leads: the folder it is in, and its name. */
export function canonicalLink(text: string, ctx: PathContext): string {
  const cut = Math.max(text.lastIndexOf("/"), ctx.platform === "win32" ? text.lastIndexOf("\\") : -1);
  if (cut === -1) return canonicalPath(text, ctx);
  const folder = canonicalPath(text.slice(0, cut) || "/", ctx).replace(/\/$/, "");
  const path = composed(`${folder}/${text.slice(cut + 1)}`, ctx);
  return ctx.foldsCase(path) ? path.toLowerCase() : path;
}

/**
 * The text that people and records see: the home, today's or a former one, as `~`; one separator; links as they were
 * written.
 */
export function portablePath(text: string, ctx: PathContext): string {
  return isUrl(text) || text === "" ? text : portableOf(expandHome(text, ctx), ctx);
}

/** What `canonicalPath` is for a text whose variables are expanded already. */
export function canonicalOf(expanded: string, ctx: PathContext): string {
  const { paths } = homesOf(ctx);
  let canonical = paths.get(expanded);
  if (canonical === undefined) {
    canonical = findCanonical(expanded, ctx);
    paths.set(expanded, canonical);
  }
  return canonical;
}

function findCanonical(expanded: string, ctx: PathContext): string {
  const spelling = atHome(spellingOf(expanded, ctx), expanded, ctx);
  if (spelling.root === undefined) return composed(pathText(spelling), ctx);
  const text = composed(resolvedText(pathText(withPrivate(spelling, ctx)), ctx), ctx);
  return ctx.foldsCase(text) ? text.toLowerCase() : text;
}

/** Where links lead, spelled like everything else: the file system answers in its own way. */
function resolvedText(absolute: string, ctx: PathContext): string {
  const resolved = ctx.resolveLinks(absolute);
  return resolved === absolute ? absolute : pathText(withPrivate(spellingOf(resolved, ctx), ctx));
}

/** What `portablePath` is for a text whose home is expanded already. */
export function portableOf(expanded: string, ctx: PathContext): string {
  const spelling = spellingOf(expanded, ctx);
  const below = belowHome(spelling, expanded, ctx);
  return below === undefined ? pathText(spelling) : ["~", ...below].join("/");
}

/** A canonical path with the home as `~` again: the same text on every machine where only the home differs. */
export function homeAsTilde(canonical: string, ctx: PathContext): string {
  const { canonical: home } = homesOf(ctx);
  if (canonical === home) return "~";
  return !home.endsWith("/") && canonical.startsWith(`${home}/`) ? `~${canonical.slice(home.length)}` : canonical;
}

/** An address is not a path: its slashes mean something else. A single letter before the colon is a drive. */
export function isUrl(text: string): boolean {
  return text.includes("://") && /^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(text);
}

const tilde = /^~(?=$|[\\/])/;
const homeVariable = /^(?:\$HOME|\$\{HOME\})(?=$|[\\/])/;
const profileVariable = /^%USERPROFILE%(?=$|[\\/])/i;
const powerShellProfile = /^\$(?:env:USERPROFILE|\{env:USERPROFILE\})(?=$|[\\/])/i;

/**
 * Who writes %USERPROFILE% writes backslashes after it, also in a template that is read elsewhere. PowerShell's
 * spelling counts on Windows.
 */
function expandProfile(text: string, ctx: PathContext): string {
  if (ctx.platform === "win32" && powerShellProfile.test(text)) return text.replace(powerShellProfile, () => ctx.home);
  return profileVariable.test(text) ? text.replaceAll("\\", "/").replace(profileVariable, () => ctx.home) : text;
}

function expandTilde(text: string, ctx: PathContext): string {
  return tilde.test(text) && (ctx.platform === "win32" || text.charAt(1) !== "\\") ? ctx.home + text.slice(1) : text;
}

/** Only the home, and only at the start: everything else stays as it was written. */
function expandHome(text: string, ctx: PathContext): string {
  return expandTilde(
    expandProfile(text, ctx).replace(homeVariable, () => ctx.home),
    ctx,
  );
}

/** A path below a former home means the same place below today's. */
function atHome(spelling: Spelling, text: string, ctx: PathContext): Spelling {
  const below = belowHome(spelling, text, ctx);
  if (below === undefined) return spelling;
  const { root, names, dotted } = homesOf(ctx).spelling;
  return { root, names: [...names, ...below], dotted };
}

/**
 * The names of a path below the home, or below a former one. Today's is asked first, so that doing it twice changes
 * nothing.
 */
function belowHome(spelling: Spelling, text: string, ctx: PathContext): readonly string[] | undefined {
  const { own, former } = homesOf(ctx);
  for (const home of own) {
    const below = namesBelow(spelling, home);
    if (below !== undefined) return below;
  }
  if (former.length === 0) return undefined;
  const foreign = foreignSpelling(text);
  for (const home of former) {
    const below = namesBelow(spelling, home) ?? namesBelow(foreign, home);
    if (below !== undefined) return below;
  }
  return undefined;
}

interface Home {
  readonly spelling: Spelling;
  readonly foldsCase: boolean;
}

function namesBelow(path: Spelling, { spelling: home, foldsCase }: Home): readonly string[] | undefined {
  const same = foldsCase
    ? (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
    : (a: string, b: string) => a === b;
  if (path.root === undefined || !same(path.root, home.root ?? "") || path.names.length < home.names.length)
    return undefined;
  return home.names.every((name, i) => same(name, path.names[i] ?? ""))
    ? path.names.slice(home.names.length)
    : undefined;
}

interface Homes {
  /** Today's as it is named, and what `canonicalPath` makes of it. */
  readonly spelling: Spelling;
  readonly canonical: string;
  /** What `canonicalOf` made of other paths: the parts of a command are asked for in several forms. */
  readonly paths: Map<string, string>;
  readonly own: readonly Home[];
  readonly former: readonly Home[];
}

/** Homes are asked for with every path of a document, and finding out where they really are costs the file system. */
const knownHomes = new WeakMap<PathContext, Homes>();

function homesOf(ctx: PathContext): Homes {
  const known = knownHomes.get(ctx);
  if (known !== undefined) return known;
  const spelling = spellingOf(ctx.home, ctx);
  const own = homeSpellings(spelling, ctx);
  const former = ctx.formerHomes.flatMap((home) => homeSpellings(foreignSpelling(home), ctx));
  let canonical: string | undefined;
  const homes = {
    spelling,
    own,
    former,
    paths: new Map<string, string>(),
    get canonical() {
      canonical ??= canonicalPath("~", ctx);
      return canonical;
    },
  };
  knownHomes.set(ctx, homes);
  return homes;
}

/**
 * A home as it is named, as darwin names it, and where its links lead. A root as home (a daemon's) would make
 * everything the home.
 */
function homeSpellings(named: Spelling, ctx: PathContext): readonly Home[] {
  if (named.root === undefined || named.names.length === 0) return [];
  const ours = platformOf(named, ctx.platform) === ctx.platform;
  if (!ours) return [{ spelling: named, foldsCase: true }];
  const text = pathText(named);
  const really = withPrivate(spellingOf(ctx.resolveLinks(pathText(withPrivate(named, ctx))), ctx), ctx);
  const foldsCase = ctx.foldsCase(text);
  return [named, withPrivate(named, ctx), really].map((spelling) => ({ spelling, foldsCase }));
}

/**
 * On darwin `/tmp`, `/var` and `/etc` are links into `/private`: known without asking, so that it also holds for a test
 * on another machine.
 */
function withPrivate(spelling: Spelling, { platform }: PathContext): Spelling {
  const first = spelling.names[0];
  if (platform !== "darwin" || spelling.root !== "" || (first !== "tmp" && first !== "var" && first !== "etc"))
    return spelling;
  return { ...spelling, names: ["private", ...spelling.names] };
}

/** Darwin's file systems take both spellings of an accented letter for one name. */
function composed(text: string, { platform }: PathContext): string {
  return platform === "darwin" ? text.normalize("NFC") : text;
}

/** A variable in a text: `$NAME`, `${NAME}` or `%NAME%`. Anything else after a `$` is not ours to understand. */
const reference = /\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}|%([A-Za-z_]\w*)%/g;

/** What they hold depends on where and how stet was started, so they would make identity depend on it too. */
const volatile = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);

/**
 * What `$NAME` means, or undefined where nobody can say. The home is the context's, whatever the environment claims.
 */
export function shellVariable(name: string, ctx: PathContext): string | undefined {
  if (name === "HOME" || (name.toUpperCase() === "USERPROFILE" && ctx.platform === "win32")) return ctx.home;
  if (volatile.has(name)) return undefined;
  const value = environmentValue(name, ctx);
  // A value that refers to others would have to be expanded again and again; nothing real looks like that.
  return value === undefined || /[$%\0]/.test(value) ? undefined : value;
}

/**
 * What `%NAME%` means. `%USERPROFILE%` is the home everywhere: templates for every platform are read on every platform.
 */
export function percentVariable(name: string, ctx: PathContext): string | undefined {
  if (name.toUpperCase() === "USERPROFILE") return ctx.home;
  return ctx.platform === "win32" ? shellVariable(name, ctx) : undefined;
}

/**
 * The text with every variable that is known. An absolute path inside another path is nonsense, so such a value counts
 * at the start only.
 */
function expandVariables(text: string, ctx: PathContext): string {
  return text.replace(reference, (spelled: string, bare?: string, braced?: string, percent?: string, offset = 0) => {
    const value = percent === undefined ? shellVariable(bare ?? braced ?? "", ctx) : percentVariable(percent, ctx);
    return value === undefined || (offset > 0 && !fitsInside(value)) ? spelled : value;
  });
}

/** Whether a value can be a part of a path, rather than its beginning. */
export function fitsInside(value: string): boolean {
  return value !== "" && !/^([~/\\]|[A-Za-z]:)/.test(value);
}

function environmentValue(name: string, { env, platform }: PathContext): string | undefined {
  if (Object.hasOwn(env, name)) return env[name];
  if (platform !== "win32") return undefined;
  const upper = name.toUpperCase();
  const spelled = Object.keys(env).find((other) => other.toUpperCase() === upper);
  return spelled === undefined ? undefined : env[spelled];
}
