import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { PathContext } from "../../src/identity/paths/path-context.ts";
import { canonicalPath, homeAsTilde, portablePath } from "../../src/identity/paths/paths.ts";
import { darwin, linux, machine, windows } from "./machines.ts";

const movedHome = machine({ home: "/root", formerHomes: ["/home/alice", "C:\\Users\\alice", "/Users/alice"] });
const linked = machine({ links: { "/home/alice/zylos": "/data/zylos", "/opt/app/current": "/opt/app/v2" } });
const linkedHome = machine({ home: "/home/alice", links: { "/home/alice": "/data/homes/alice" } });
const withVariables = machine({
  env: { ZYLOS_HOME: "/srv/zylos", NAME: "zylos", TILDE: "~/z", LOOP: "$LOOP/x", PWD: "/somewhere" },
});
const wsl = machine({ env: { WSL_DISTRO_NAME: "Ubuntu" }, home: "/home/alice" });
const windowsExact = machine({ platform: "win32", home: "C:\\Users\\alice" });

const canonical: [string, PathContext, string, string][] = [
  ["the home", linux, "~", "/home/alice"],
  ["below the home", linux, "~/x.js", "/home/alice/x.js"],
  ["$HOME", linux, "$HOME/x.js", "/home/alice/x.js"],
  ["${HOME}", linux, "${HOME}/x.js", "/home/alice/x.js"],
  ["%USERPROFILE% with its backslashes, on any platform", linux, "%UserProfile%\\a\\x.js", "/home/alice/a/x.js"],
  ["another user's home", linux, "~bob/x.js", "~bob/x.js"],
  ["a variable that begins like HOME", linux, "$HOMEWARD/x", "$HOMEWARD/x"],
  ["dots and double slashes", linux, "/a//b/./c/../d/", "/a/b/d"],
  ["above the root", linux, "/../a", "/a"],
  ["relative", linux, "./scripts//x.js", "scripts/x.js"],
  ["relative, above", linux, "../x/../../y", "../../y"],
  ["here", linux, "./", "."],
  ["nothing", linux, "", ""],
  ["a folder called ~", linux, "./~/x", "./~/x"],
  ["a backslash is a character on linux", linux, "/a\\b/c", "/a\\b/c"],
  ["case stays", linux, "~/Scripts/X.sh", "/home/alice/Scripts/X.sh"],
  ["an address", linux, "https://example.org//a/../b", "https://example.org//a/../b"],
  ["a known variable", withVariables, "${ZYLOS_HOME}/x.js", "/srv/zylos/x.js"],
  ["a known variable inside", withVariables, "/a/$NAME.d/x", "/a/zylos.d/x"],
  ["an absolute path inside another", withVariables, "/a/$ZYLOS_HOME", "/a/$ZYLOS_HOME"],
  ["an unknown variable", withVariables, "$CLAUDE_PROJECT_DIR/./x.js", "$CLAUDE_PROJECT_DIR/x.js"],
  ["no step up over an unknown variable", withVariables, "$X/../y", "$X/../y"],
  ["a variable that holds a ~", withVariables, "$TILDE/y", "/home/alice/z/y"],
  ["a variable that refers to itself", withVariables, "$LOOP/y", "$LOOP/y"],
  ["where stet was started does not matter", withVariables, "$PWD/y", "$PWD/y"],
  ["a link in the part that exists", linked, "~/zylos/new/x.js", "/data/zylos/new/x.js"],
  ["a name that only begins like a link", linked, "~/zylos-2/x.js", "/home/alice/zylos-2/x.js"],
  ["a linked home, by name", linkedHome, "~/x", "/data/homes/alice/x"],
  ["a linked home, by place", linkedHome, "/data/homes/alice/x", "/data/homes/alice/x"],
  ["a former home", movedHome, "/home/alice/x.js", "/root/x.js"],
  ["a former home on Windows", movedHome, "c:\\users\\Alice\\a\\x.js", "/root/a/x.js"],
  ["a former home on darwin", movedHome, "/Users/alice/x.js", "/root/x.js"],
  ["not a former home, only its beginning", movedHome, "/home/alice2/x.js", "/home/alice2/x.js"],
  ["darwin's /tmp", darwin, "/tmp/X", "/private/tmp/x"],
  ["darwin's /private/tmp", darwin, "/private/tmp/x", "/private/tmp/x"],
  ["darwin's /var and /etc", darwin, "/var/../etc/x", "/private/etc/x"],
  ["linux's /tmp", linux, "/tmp/x", "/tmp/x"],
  ["darwin folds case here", darwin, "~/Scripts/Foo.sh", "/users/alice/scripts/foo.sh"],
  ["darwin composes letters", darwin, "/a/e\u0301", "/a/\u00e9"],
  ["a drive", windowsExact, "c:\\Users\\bob\\x.js", "C:/Users/bob/x.js"],
  ["a drive with slashes", windowsExact, "C:/Users//bob/./x.js", "C:/Users/bob/x.js"],
  ["a WSL mount", windowsExact, "/mnt/c/Users/bob", "C:/Users/bob"],
  ["a Git Bash mount", windowsExact, "/c/Users/bob", "C:/Users/bob"],
  ["a Cygwin mount", windowsExact, "/cygdrive/d/x", "D:/x"],
  ["an option of cmd", windowsExact, "/c", "/c"],
  ["a long path", windowsExact, "\\\\?\\C:\\x\\y", "C:/x/y"],
  ["a share", windowsExact, "\\\\Server\\share\\a\\..\\x", "//server/share/x"],
  ["a long share", windowsExact, "\\\\?\\UNC\\server\\share\\x", "//server/share/x"],
  ["WSL's share by its old name", windowsExact, "\\\\wsl$\\Ubuntu\\home", "//wsl.localhost/Ubuntu/home"],
  ["%USERPROFILE%", windowsExact, "%USERPROFILE%\\x.js", "C:/Users/alice/x.js"],
  ["$env:USERPROFILE", windowsExact, "$env:USERPROFILE\\x.js", "C:/Users/alice/x.js"],
  ["${env:UserProfile}", windowsExact, "${env:UserProfile}/x.js", "C:/Users/alice/x.js"],
  ["~ with a backslash", windowsExact, "~\\x.js", "C:/Users/alice/x.js"],
  ["%APPDATA% in any case", windows, "%AppData%\\x", "c:/users/alice/appdata/roaming/x"],
  ["an unknown %VARIABLE%", windowsExact, "%NOPE%\\x", "%NOPE%/x"],
  ["Windows folds case here", windows, "C:\\Users\\ALICE\\X.js", "c:/users/alice/x.js"],
  ["a Windows drive inside WSL", wsl, "C:\\Users\\alice\\x", "/mnt/c/Users/alice/x"],
  ["a Windows drive on a linux without Windows", linux, "C:\\Users\\x", "C:\\Users\\x"],
];

test.each(canonical)("%s", (_name, ctx, text, expected) => {
  expect(canonicalPath(text, ctx)).toBe(expected);
});

const portable: [string, PathContext, string, string][] = [
  ["an absolute home", linux, "/home/alice/x.js", "~/x.js"],
  ["the home itself", linux, "$HOME", "~"],
  ["a stranger's home", linux, "/home/alice2/x.js", "/home/alice2/x.js"],
  ["up and out of the home", linux, "~/../bob", "/home/bob"],
  ["links stay as written", linked, "~/zylos/x.js", "~/zylos/x.js"],
  ["the place of a linked home", linkedHome, "/data/homes/alice/x", "~/x"],
  ["variables stay as written", withVariables, "$ZYLOS_HOME//x", "$ZYLOS_HOME/x"],
  ["a former home", movedHome, "/home/alice/x.js", "~/x.js"],
  ["a former home on Windows", movedHome, "C:\\Users\\alice\\x.js", "~/x.js"],
  ["darwin's other name of the home", machine({ platform: "darwin", home: "/tmp/h" }), "/private/tmp/h/x", "~/x"],
  ["Windows", windows, "c:\\users\\ALICE\\A\\x.js", "~/A/x.js"],
  ["a WSL mount of the home", windows, "/mnt/c/Users/alice/x.js", "~/x.js"],
  ["a home that is the root", machine({ home: "/" }), "/etc/x", "/etc/x"],
];

test.each(portable)("portable: %s", (_name, ctx, text, expected) => {
  expect(portablePath(text, ctx)).toBe(expected);
});

describe("a canonical path with the home as ~", () => {
  it("is the same on two machines", () => {
    for (const ctx of [linux, movedHome, linkedHome])
      expect(homeAsTilde(canonicalPath("~/a/../x", ctx), ctx)).toBe("~/x");
    expect(homeAsTilde("/home/alice", linux)).toBe("~");
  });
  it("does not take a neighbour for the home", () => {
    expect(homeAsTilde("/home/alice2", linux)).toBe("/home/alice2");
    expect(homeAsTilde("/x", machine({ home: "/" }))).toBe("/x");
  });
});

const pieces = [
  "~",
  "$HOME",
  "${HOME}",
  "%USERPROFILE%",
  "$X",
  "$ZYLOS_HOME",
  "$NAME",
  "$TILDE",
  "/",
  "//",
  "\\",
  ".",
  "..",
  "a",
  "B",
  "c",
  "C:",
  "mnt",
  "tmp",
];
const anyText = fc
  .array(fc.constantFrom(...pieces, "home", "alice", "Users", "?", "zylos", " ", "é"), { maxLength: 12 })
  .map((all) => all.join(""));
const anyMachine = fc.constantFrom(
  linux,
  darwin,
  windows,
  windowsExact,
  movedHome,
  linked,
  linkedHome,
  withVariables,
  wsl,
);

describe("whatever is written", () => {
  it("canonical twice is canonical once", () => {
    fc.assert(
      fc.property(anyText, anyMachine, (text, ctx) => {
        const once = canonicalPath(text, ctx);
        expect(canonicalPath(once, ctx)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });
  it("portable twice is portable once, and names the same place", () => {
    fc.assert(
      fc.property(anyText, anyMachine, (text, ctx) => {
        const once = portablePath(text, ctx);
        expect(portablePath(once, ctx)).toBe(once);
        expect(canonicalPath(once, ctx)).toBe(canonicalPath(text, ctx));
      }),
      { numRuns: 3000 },
    );
  });
  it("two different plain names never become one place", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}$/);
    fc.assert(
      fc.property(name, name, fc.constantFrom(linux, darwin, windows, movedHome), (a, b, ctx) => {
        expect(canonicalPath(`~/zylos/${a}`, ctx) === canonicalPath(`~/zylos/${b}`, ctx)).toBe(a === b);
      }),
    );
  });
});
