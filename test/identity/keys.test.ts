import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { dottedPath, keyText, parseDottedPath, parseKey, settingKey } from "../../src/identity/rules/keys.ts";

describe("a key", () => {
  it("is its type and its parts", () => {
    expect(keyText("hook", ["SessionStart", "*", "node ~/x.js"])).toBe("hook:SessionStart:*:node ~/x.js");
  });
  it("escapes what separates parts", () => {
    expect(keyText("permission", ["allow", "Bash(npm run test:*)"])).toBe("permission:allow:Bash(npm run test\\:*)");
    expect(keyText("a", ["C:\\x"])).toBe("a:C\\:\\\\x");
  });
  it("is read back as it was made, whatever its parts are", () => {
    const part = fc.string({ unit: fc.constantFrom("a", ":", "\\", '"', ".", " ", "é"), maxLength: 8 });
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z][a-z-]{0,5}$/),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        (type, parts) => {
          expect(parseKey(keyText(type, parts))).toEqual({ kind: "key", type, parts });
        },
      ),
    );
  });
  test.each(["", "hook", ":x", "hook:x\\"])("%j is none", (text) => {
    expect(parseKey(text).kind).toBe("malformed");
  });
});

describe("a setting's path", () => {
  test.each<[readonly string[], string]>([
    [["env", "PATH"], "setting:env.PATH"],
    [["env", "a.b"], 'setting:env."a.b"'],
    [["editor.fontSize"], 'setting:"editor.fontSize"'],
    [["", "x"], 'setting:"".x'],
    [['say "hi"'], 'setting:"say \\\\"hi\\\\""'],
    [["projects", "C:\\work"], "setting:projects.C\\:\\\\work"],
    [["__proto__", "[python]"], "setting:__proto__.[python]"],
  ])("%j is %s", (segments, key) => {
    expect(settingKey(segments)).toBe(key);
  });
  it("is read back as it was written, whatever the names are", () => {
    const name = fc.string({ unit: fc.constantFrom("a", ".", '"', "\\", ":", " ", "[", "é"), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
        const parsed = parseDottedPath(dottedPath(names));
        expect(parsed.kind === "path" && parsed.segments.map(({ text }) => text)).toEqual(names);
        const key = parseKey(settingKey(names));
        expect(key).toEqual({ kind: "key", type: "setting", parts: [dottedPath(names)] });
      }),
    );
  });
  test.each(["", "a..b", "a.", '"a', '"a"b', 'a"b'])("%j is none", (text) => {
    expect(parseDottedPath(text).kind).toBe("malformed");
  });
});
