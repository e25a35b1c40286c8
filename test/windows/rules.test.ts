import { describe, expect, it } from "vitest";
import { configFolder, defaultStateDir } from "../../src/engine/machine.ts";
import { unusableOnWindows } from "../../src/identity/paths/spelling.ts";
import { tilde } from "../../src/report/words.ts";
import { cachingReader } from "../../src/store/gate/caching-reader.ts";
import { diskReader } from "../../src/store/gate/disk-reader.ts";

describe("folders", () => {
  const home = "/users/jo";
  const env = { USERPROFILE: home, APPDATA: `${home}/AppData/Roaming`, LOCALAPPDATA: `${home}/AppData/Local` };
  const folders = (machine: Parameters<typeof defaultStateDir>[0]) => [defaultStateDir(machine), configFolder(machine)];

  it.each([
    ["linux", home, env, "/users/jo/.local/state/stet", "/users/jo/.config/stet"],
    ["darwin", home, env, "/users/jo/.local/state/stet", "/users/jo/.config/stet"],
    ["win32", home, env, "/users/jo/AppData/Local/stet", "/users/jo/AppData/Roaming/stet"],
    ["win32", home, {}, "/users/jo/AppData/Local/stet", "/users/jo/AppData/Roaming/stet"],
    ["win32", home, { ...env, LOCALAPPDATA: "/local", APPDATA: "/roaming" }, "/local/stet", "/roaming/stet"],
    ["win32", "/other", env, "/other/AppData/Local/stet", "/other/AppData/Roaming/stet"],
    ["win32", "/other", { ...env, LOCALAPPDATA: "/l", APPDATA: "/r" }, "/l/stet", "/r/stet"],
    ["win32", home, { ...env, XDG_STATE_HOME: "/s", XDG_CONFIG_HOME: "/c" }, "/s/stet", "/c/stet"],
    ["win32", home, { ...env, STET_STATE_DIR: "/mine" }, "/mine", "/users/jo/AppData/Roaming/stet"],
  ] as const)("%s, home %s, %j: state in %s, policies in %s", (platform, at, surroundings, state, config) => {
    expect(folders({ platform, home: at, env: surroundings })).toEqual([state, config]);
  });
});

describe("names", () => {
  const device = ["CON", "nul", "AUX.txt", "com1", "LPT9.log", "NUL.tar.gz", "con .txt", "COM¹", "conin$", "nul "];
  it.each(device)("%s is a device", (name) => {
    for (const path of [`C:\\app\\${name}`, `~/app/${name}`, `C:/${name}/x.json`, `\\\\?\\C:\\${name}`])
      expect(unusableOnWindows(path, "win32")).toMatch(/device/);
  });

  it.each(["a:b", "C:\\a:stream", "what?", "a*", "a|b", "<a>", "tab\t", "dot.", "blank ", "dots./x"])(
    "%j is no name",
    (name) => {
      expect(unusableOnWindows(`~/app/${name}`, "win32")).toMatch(/Windows/);
    },
  );

  it.each(["console", "null.json", "com10", "com", "aux-1.txt", ".aux", "a b.c", "..\\up", ".", "C:\\x\\..\\y"])(
    "%s is one",
    (name) => {
      expect(unusableOnWindows(name, "win32")).toBeUndefined();
    },
  );

  it.each(["linux", "darwin"] as const)("on %s all of them are", (platform) => {
    for (const name of [...device, "a:b", "dot."]) expect(unusableOnWindows(`~/${name}`, platform)).toBeUndefined();
  });
});

it.each([
  ["C:\\Users\\jo\\app\\a.json", "C:\\Users\\jo", "~/app/a.json"],
  ["\\\\server\\jo\\a.json", "\\\\server\\jo", "~/a.json"],
  ["C:\\Users\\joan\\a.json", "C:\\Users\\jo", "C:\\Users\\joan\\a.json"],
  ["/home/jo/a.json", "/home/jo", "~/a.json"],
  ["/home/jo\\a.json", "/home/jo", "/home/jo\\a.json"],
])("%s with the home %s is %s in a report", (path, home, said) => {
  expect(tilde(path, home)).toBe(said);
});

it("where a file is found in another case, the system says which name is the real one", () => {
  const base = diskReader();
  const folding = {
    ...base,
    stat: (path: string) => base.stat(path.toLowerCase()),
    realPath: (path: string) => base.realPath(path.toLowerCase()),
  };
  expect(cachingReader(folding, false).realPath("/USR/Bin/new.json")).toBe(`${base.realPath("/usr/bin")}/new.json`);
});
