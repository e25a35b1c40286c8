import { describe, expect, it } from "vitest";
import { type MergeResult, mergeTexts } from "../../src/merge/merge-texts.ts";
import { loadFormat } from "../../src/readings/open-reading.ts";
import { mergeFile } from "../../src/text/merge-file.ts";

type Name = Parameters<typeof loadFormat>[0];
const markers = { mine: "mine", theirs: "theirs" };

async function merge(format: Name, base: string, mine: string, theirs: string): Promise<MergeResult> {
  return mergeTexts(base, mine, theirs, { format: await loadFormat(format), markers });
}

const merged = async (...texts: Parameters<typeof merge>) => {
  const result = await merge(...texts);
  expect(result.kind).toBe("merged");
  return result.text;
};

describe("what only one side changed is settled", () => {
  it("neighbours that git calls a conflict: both add a name at the same place", async () => {
    const base = '{\n  "a": 1\n}\n';
    expect(await merged("json", base, '{\n  "a": 1,\n  "m": 2\n}\n', '{\n  "a": 1,\n  "t": 3\n}\n')).toBe(
      '{\n  "a": 1,\n  "m": 2,\n  "t": 3\n}\n',
    );
  });

  it("one changes a value, the other its neighbour, in each format", async () => {
    expect(await merged("yaml", "a: 1\nb: 1\n", "a: 2 # mine\nb: 1\n", "a: 1\nb: 2\n")).toBe("a: 2 # mine\nb: 2\n");
    expect(await merged("toml", "[x]\na = 1\nb = 1\n", "[x]\na = 2\nb = 1\n", "[x]\na = 1\nb = 2\n")).toBe(
      "[x]\na = 2\nb = 2\n",
    );
    expect(await merged("dotenv", "A=1\nB=1\n", "export A=2\nB=1\n", "A=1\nB='2'\n")).toBe("export A=2\nB=2\n");
  });

  it("mine sorts and comments, theirs changes a value: mine's bytes stand everywhere else", async () => {
    const mine = '{\n  // mine\n  "b": 1,\n  "a": 1\n}\n';
    expect(await merged("json", '{\n  "a": 1,\n  "b": 1\n}\n', mine, '{\n  "a": 2,\n  "b": 1\n}\n')).toBe(
      mine.replace('"a": 1', '"a": 2'),
    );
  });

  it("lists: items told apart by a name, put in by both", async () => {
    const list = (...names: string[]) =>
      `steps:\n${names.map((name) => `  - name: ${name}\n    run: ${name}\n`).join("")}`;
    expect(await merged("yaml", list("a", "b"), list("a", "m", "b"), list("a", "b", "t"))).toBe(
      list("a", "m", "b", "t"),
    );
    expect(await merged("yaml", list("a"), `${list("a")}    mine: 1\n`, list("a", "t"))).toContain("mine: 1");
  });

  it("lists without names: what both put in is there once, also beside an item that one side changed", async () => {
    expect(await merged("yaml", "- p: 8080\n", "- p: 8080\n- p: 80\n", "- p: 8080\n  q: x\n- p: 80\n")).toBe(
      "- p: 8080\n  q: x\n- p: 80\n",
    );
    expect(await merged("json", "[1, 2]\n", "[1, 2, 9, 8]\n", "[1, 3, 9, 8]\n")).toBe("[1, 3, 9, 8]\n");
  });

  it("YAML's aliases stay aliases: what theirs adds follows the anchor that mine changed", async () => {
    const base = "a: &a\n  x: 1\nm: 1\n\nz: 1\n";
    const theirs = `${base}\nt:\n  <<: *a\n  y: *a\n`;
    expect(await merged("yaml", base, base.replace("x: 1", "x: 2"), theirs)).toBe(theirs.replace("x: 1", "x: 2"));
    // Neighbours that git calls a conflict, one of them with an alias.
    expect(
      await merged("yaml", "a: &a\n  x: 1\nm: 1\n", "a: &a\n  x: 1\nm: 1\nn: 1\n", "a: &a\n  x: 1\nm: 1\no: *a\n"),
    ).toBe("a: &a\n  x: 1\nm: 1\nn: 1\no: *a\n");
  });

  it("lists of words: changes of neighbours; and what both add, where everybody keeps them in order", async () => {
    expect(await merged("json", "[1, 2, 3]\n", "[1, 9, 3]\n", "[1, 2, 8]\n")).toBe("[1, 9, 8]\n");
    expect(await merged("json", '{"f":["a","d"]}', '{"f":["a","b","d"]}', '{"f":["a","c","d"]}')).toBe(
      '{"f":["a","b","c","d"]}',
    );
  });

  it("texts of several lines, line by line", async () => {
    const text = (a: string, d: string) => `x: |\n  ${a}\n  b\n  c\n  ${d}\n`;
    expect(await merged("yaml", text("a", "d"), text("m", "d"), text("a", "t"))).toBe(text("m", "t"));
  });

  it("theirs' comments come along where the lines merge", async () => {
    const base = "a: 1\nb: 1\nc: 1\nd: 1\n";
    expect(await merged("yaml", base, base.replace("a: 1", "a: 2"), base.replace("d: 1", "# why\nd: 2"))).toBe(
      "a: 2\nb: 1\nc: 1\n# why\nd: 2\n",
    );
  });
});

describe("what both changed is a conflict", () => {
  it("between git's markers around the smallest lines, and by key", async () => {
    const json = (a: number, b: number) => `{\n  "a": ${a},\n  "x": 0,\n  "b": ${b}\n}\n`;
    const result = await merge("json", json(1, 1), json(2, 2), json(3, 1));
    expect(result).toMatchObject({ kind: "conflict", conflicts: [{ path: ["a"], base: 1, mine: 2, theirs: 3 }] });
    expect(result.text).toBe(
      '{\n<<<<<<< mine\n  "a": 2,\n=======\n  "a": 3,\n>>>>>>> theirs\n  "x": 0,\n  "b": 2\n}\n',
    );
    expect(result).toMatchObject({ mine: json(2, 2), theirs: json(3, 2) });
  });

  it("with the base as well, where git is told to show it: that of the conflict alone", async () => {
    const json = (a: number, b: number) => `{\n  "x": 0,\n  "a": ${a},\n  "b": ${b}\n}\n`;
    for (const style of ["diff3", "zdiff3"] as const) {
      const { text } = mergeTexts(json(1, 1), json(2, 2), json(3, 1), {
        format: await loadFormat("json"),
        markers: { ...markers, base: "base", style },
      });
      expect(text).toBe(
        '{\n  "x": 0,\n<<<<<<< mine\n  "a": 2,\n||||||| base\n  "a": 1,\n=======\n  "a": 3,\n>>>>>>> theirs\n  "b": 2\n}\n',
      );
    }
  });

  it("markers end as the lines of the file do", async () => {
    const result = await merge("yaml", "a: 1\r\nb: 1\r\n", "a: 2\r\nb: 2\r\n", "a: 3\r\nb: 1\r\n");
    expect(result.text).toBe("<<<<<<< mine\r\na: 2\r\n=======\r\na: 3\r\n>>>>>>> theirs\r\nb: 2\r\n");
  });

  it("what theirs adds keeps its line breaks where mine is one line and has none", async () => {
    const theirs = "A=1\r\nB=1\r\nN=1\r\nC=2";
    const result = await merge("dotenv", "A=1\r\nB=1\r\nC=1", "A=1", theirs);
    expect([result.kind, result.text.replaceAll("\r\n", "").includes("\n")]).toEqual(["conflict", false]);
    expect(await merged("dotenv", "A=1\r\nB=1", "A=1", "A=1\r\nB=1\r\nN=1")).toBe("A=1\r\nN=1");
  });

  it("one takes out what the other changed", async () => {
    const result = await merge("yaml", "a: 1\nb: 1\n", "b: 1\n", "a: 2\nb: 1\n");
    expect(result).toMatchObject({
      kind: "conflict",
      conflicts: [{ path: ["a"], base: 1, mine: undefined, theirs: 2 }],
    });
    expect(result.text).toContain("<<<<<<< mine");
  });

  it("the same name, added by both at different places: never twice in the result", async () => {
    const base = '{\n  "a": 1,\n  "b": 1,\n  "c": 1,\n  "d": 1\n}\n';
    const mine = base.replace('  "a": 1,\n', '  "n": 5,\n  "a": 1,\n');
    expect(await merged("json", base, mine, base.replace('  "d": 1\n', '  "d": 1,\n  "n": 5\n'))).toBe(mine);
    const other = await merge("json", base, mine, base.replace('  "d": 1\n', '  "d": 1,\n  "n": 6\n'));
    expect(other).toMatchObject({ kind: "conflict", conflicts: [{ path: ["n"] }] });
  });

  it("a name that one side moved: once in the result, with the bytes of mine and its comments", async () => {
    const mine = "[s]\nn=1\na=1\nk=1\nx=1\nb=1\n";
    expect(await merged("ini", mine.replace("a=1\n", ""), mine, "[s]\nx=1\nk=1\nb=1\nn=1\n")).toBe(mine);
    const json = '{\n  "n": 1,\n  "a": 1,\n  "k": 1,\n  "x": 1,\n  "b": 1\n}\n';
    const moved = '{\n  "x": 1,\n  "k": 1,\n  "b": 1,\n  "n": 1\n}\n';
    expect(await merged("json", json.replace('  "a": 1,\n', ""), json, moved)).toBe(json);
    const base = 'H=1\n# why\nX="2"\nK=1\nL=1\nN=6\n';
    expect(await merged("dotenv", base, base.replace("N=6", "N=8"), 'K=1\nL=1\nP=9\nH=1\nN=6\n# why\nX="2"\n')).toBe(
      'H=1\n# why\nX="2"\nK=1\nL=1\nP=9\nN=8\n',
    );
  });

  it("theirs takes out what mine has only written a comment into: the comment is not lost without a word", async () => {
    const base = "a:\n  x: 1\n  y: 1\nb: 1\n";
    const result = await merge("yaml", base, base.replace("  y", "  # why\n  y"), "b: 1\n");
    expect(result).toMatchObject({ kind: "conflict", theirs: "b: 1\n" });
    expect(result.text).toMatch(/^<{7} mine\na:\n {2}x: 1\n {2}# why\n {2}y: 1\n={7}\n>{7} theirs\nb: 1\n$/);
  });

  it("a name that stands twice: a change of the value that the other hides is not lost", async () => {
    const [base, mine] = ["[r]\nf = 1\nf = 2\n", "[r]\nf = 1\nf = 2\ng = 1\n"];
    expect(await merge("ini", base, mine.replace("2", "3"), base.replace("1", "9"))).toMatchObject({
      kind: "conflict",
    });
    expect(await merged("ini", `x = 1\n\n\n${base}`, `x = 2\n\n\n${base}`, `x = 1\n\n\n${base}f = 3\n`)).toBe(
      `x = 2\n\n\n${base}f = 3\n`,
    );
    const twice = '{\n  "a": 1,\n  "a": 2,\n  "b": 1\n}\n';
    const result = await merge(
      "json",
      twice,
      twice.replace('2,\n  "b": 1', '3,\n  "b": 1'),
      twice.replace('"a": 1', '"a": 9'),
    );
    expect(result).toMatchObject({ kind: "conflict" });
  });

  it("two new .env files: the lines of both, as each spells them", async () => {
    expect(await merged("dotenv", "", "A=1\n", 'export B="$A/x"\nA=1\n')).toBe('export B="$A/x"\nA=1\n');
    expect(await merged("dotenv", "", "\ufeffA=1\n", "\ufeffB=1\n")).toBe("\ufeffA=1\nB=1\n");
  });

  it("a value that one side added and the other replaced in everything beside it", async () => {
    const base = "[deps]\na = { version = '1' }\nb = { version = '1' }\n";
    const mine = `${base}c = { version = '1', path = 'c' }\n`;
    const theirs = base.replaceAll("'1'", "'2'");
    const result = await merge("toml", base, mine, theirs);
    expect(result).toMatchObject({
      kind: "conflict",
      conflicts: [{ path: ["deps", "c", "version"], base: undefined, mine: "1", theirs: "2" }],
      mine: `${theirs}c = { version = '1', path = 'c' }\n`,
      theirs: `${theirs}c = { version = '2', path = 'c' }\n`,
    });
    // The other way round, theirs is the side that added it.
    expect(await merge("toml", base, theirs, mine)).toMatchObject({
      conflicts: [{ path: ["deps", "c", "version"], mine: "2", theirs: "1" }],
    });
  });

  it("is none where something beside it keeps that value, for two replacements, or where the lines merge", async () => {
    const base = '{\n  "a": "1",\n  "b": "1"\n}\n';
    const mine = base.replace('"b": "1"', '"b": "1",\n  "c": "1"');
    expect(await merged("json", base, mine, base.replace('"b": "1"', '"b": "2"'))).toBe(
      mine.replace('"b": "1"', '"b": "2"'),
    );
    expect(await merged("json", base, mine, '{\n  "a": "2",\n  "b": "3"\n}\n')).toBe(
      '{\n  "a": "2",\n  "b": "3",\n  "c": "1"\n}\n',
    );
    expect(await merged("yaml", "a: x\n\nb: 1\n", "a: x\n\nb: 1\nc: x\n", "a: y\n\nb: 1\n")).toBe(
      "a: y\n\nb: 1\nc: x\n",
    );
  });

  it("is none for numbers and switches of formats that have nothing but texts", async () => {
    expect(await merged("dotenv", "A=1\nB=0\n", "A=1\nB=0\nM=1\n", "A=4\nB=0\nT=x\n")).toBe("A=4\nB=0\nM=1\nT=x\n");
    expect(await merged("ini", "[s]\na = on\n", "[s]\na = on\nm = on\n", "[s]\na = off\n")).toBe(
      "[s]\na = off\nm = on\n",
    );
    expect(await merge("dotenv", "A=1.2.3\n", "A=1.2.3\nM=1.2.3\n", "A=1.2.4\n")).toMatchObject({ kind: "conflict" });
  });

  it("a list that both appended to: nobody but a person knows the order", async () => {
    expect(await merge("json", '{"args":["x","a"]}', '{"args":["x","a","m"]}', '{"args":["x","a","t"]}')).toMatchObject(
      {
        kind: "conflict",
        conflicts: [{ path: ["args"] }],
      },
    );
  });
});

it("what can't be read is merged by line, as git does it", async () => {
  const [base, mine, theirs] = ['{ "a": \n1\n2\n3\n', '{ "a": \n1\n2\n4\n', '{ "a": \n1\n2\n5\n'];
  expect((await merge("json", base, mine, theirs)).text).toBe(mergeFile(base, mine, theirs, markers).text);
});

it("what one side took out and the other moved and changed is a conflict, though the lines merge", async () => {
  const [a, c] = ['  "a": [\n    1\n  ]', '  "c": [\n    1,\n    2\n  ]'];
  const text = (...parts: string[]) => `{\n${parts.join(",\n")}\n}\n`;
  const result = await merge("json", text(a, c), text(c), text(c, a.replace("1", "9")));
  expect(result).toMatchObject({ kind: "conflict", mine: text(c), conflicts: [{ path: ["a"] }] });
});

it("a part that one side rebuilt and the other changed a line of", async () => {
  const base = "steps:\n  one:\n    run: a\n\n\n  two:\n    run: b\n";
  expect(await merged("yaml", base, base.replace("run: b", "run: c"), base.replace("steps:", "jobs:"))).toBe(
    base.replace("run: b", "run: c").replace("steps:", "jobs:"),
  );
});
