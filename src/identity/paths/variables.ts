import type { PathContext } from "./path-context.ts";

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
export function expandVariables(text: string, ctx: PathContext): string {
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
