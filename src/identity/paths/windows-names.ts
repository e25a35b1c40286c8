import type { Platform } from "./path-context.ts";

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
    if (sign !== undefined) return `no name on Windows can hold ${JSON.stringify(sign)}, as ${name} does`;
    if (/[. ]$/.test(name)) return `Windows drops the ${name.endsWith(".") ? "dot" : "blank"} at the end of ${name}`;
  }
  return undefined;
}
