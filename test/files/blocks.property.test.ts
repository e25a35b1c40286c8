import fc from "fast-check";
import { expect, it } from "vitest";
import { SharedFile } from "./shared-file.ts";

/** What a person has in a file before anybody comes: lines, none of which looks like a marker. */
const line = fc.constantFrom("", "", "  ", "alias a=b", "# mine", "x");
const original = fc
  .record({
    lines: fc.array(line, { maxLength: 4 }),
    eol: fc.constantFrom("\n", "\n", "\r\n"),
    ended: fc.boolean(),
    mark: fc.constantFrom("", "", "\ufeff"),
  })
  .map(({ lines, eol, ended, mark }) => mark + lines.join(eol) + (ended && lines.length > 0 ? eol : ""));

const owners = ["alpha", "beta", "gamma", "delta"] as const;
const owner = fc.constantFrom(...owners);
const bodies = ["", "one\n", "one\n\ntwo", "\n"];

type Step =
  | { readonly do: "apply"; readonly owner: (typeof owners)[number]; readonly body: string }
  | { readonly do: "leave"; readonly owner: (typeof owners)[number] }
  /** A person writes: on top, below everything, or into the lines that were there. */
  | { readonly do: "above" }
  | { readonly do: "change" }
  | { readonly do: "below"; readonly ended: boolean };

const visit: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("apply" as const), owner, body: fc.constantFrom(...bodies) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), owner }) },
);
const edit: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom({ do: "above" as const }, { do: "change" as const }),
  fc.record({ do: fc.constant("below" as const), ended: fc.boolean() }),
);

/** Makes a step, and returns what the file would be if only the person had written. */
async function perform(file: SharedFile, step: Step, alone: string, count: number): Promise<string> {
  if (step.do === "apply") {
    const pack = file.release(step.owner, step.body);
    await file.apply(pack);
    expect((await file.plan(pack)).document.changed).toBe(0);
    return alone;
  }
  if (step.do === "leave") {
    await file.leave(step.owner).catch(() => undefined);
    return alone;
  }
  if (step.do === "change") {
    file.write(file.text!.replaceAll("alias", "unalias"));
    return alone.replaceAll("alias", "unalias");
  }
  const eol = file.text!.includes("\r\n") ? "\r\n" : "\n";
  const add = (text: string) =>
    step.do === "above"
      ? text.replace(/^\ufeff?/, (mark) => `${mark}own ${count}${eol}`)
      : `${text}${/[^\ufeff\n]$/.test(text) ? eol : ""}own ${count}${step.ended ? eol : ""}`;
  file.write(add(file.text!));
  return add(alone);
}

async function performAll(
  start: string,
  steps: readonly Step[],
  lastOut: readonly string[],
): Promise<{ text: string; alone: string }> {
  const file = new SharedFile(".bashrc", "block", start);
  let alone = start;
  for (const [count, step] of steps.entries()) alone = await perform(file, step, alone, count);
  for (const each of lastOut) await file.leave(each).catch(() => undefined);
  return { text: file.text!, alone };
}

const lastOut = fc.shuffledSubarray([...owners], { minLength: owners.length });

it("any number of owners' blocks, in any order of coming and leaving: every byte back", async () => {
  await fc.assert(
    fc.asyncProperty(original, fc.array(visit, { maxLength: 8 }), lastOut, async (start, steps, out) => {
      const { text } = await performAll(start, steps, out);
      expect(text).toBe(start);
    }),
    {
      numRuns: 250,
      examples: [["x", ["alpha", "beta"].map((owner) => ({ do: "apply", owner, body: "one\n" }) as Step), [...owners]]],
    },
  );
});

it("and with a person writing above, below and around them: just what the person wrote", async () => {
  await fc.assert(
    fc.asyncProperty(
      original,
      fc.array(fc.oneof(visit, edit), { maxLength: 8 }),
      lastOut,
      async (start, steps, out) => {
        const { text, alone } = await performAll(start, steps, out);
        expect(text).toBe(alone);
      },
    ),
    { numRuns: 250 },
  );
});

it("a file that an owner made goes with the last block, in whatever order they leave", async () => {
  await fc.assert(
    fc.asyncProperty(lastOut, lastOut, async (arriving, leaving) => {
      const file = new SharedFile(".bashrc", "block", undefined);
      for (const each of arriving) await file.apply(file.release(each, "one\n"));
      for (const each of leaving) await file.leave(each);
      expect(file.text).toBeUndefined();
    }),
    { numRuns: 30 },
  );
});

it.each([
  [
    "yaml",
    "config.yaml",
    ["own: 1\n", "own:\n  a: 1\n# below\n", "# mine\n", "", "own: 1\r\n"],
    "block: 1\nmore:\n  x: 1\n",
    { entry: 1, other: { x: 1 } },
  ],
  [
    "toml",
    "config.toml",
    ["own = 1\n", "own = 1\n\n[t]\na = 1\n", "# mine\n", ""],
    "[block]\nx = 1\n",
    { entry: 1, other: { x: 1 } },
  ],
  ["dotenv", ".env", ["OWN=1\n", "# mine\n", "", "OWN=1\r\n"], "BLOCK=1\n", { ENTRY: "1" }],
] as const)("entries of one owner never go into the block of another: %s", async (_, name, starts, block, entries) => {
  for (const start of starts) {
    for (const [arriving, leaving] of [
      [
        ["block", "entries"],
        ["block", "entries"],
      ],
      [
        ["block", "entries"],
        ["entries", "block"],
      ],
      [
        ["entries", "block"],
        ["block", "entries"],
      ],
      [
        ["entries", "block"],
        ["entries", "block"],
      ],
    ] as const) {
      const file = new SharedFile(name, "entries", start);
      for (const each of arriving) await file.apply(file.release(each, each === "block" ? block : entries, each));
      expect(file.text!.replaceAll("\r", "")).toContain(`# BEGIN BLOCK MANAGED\n${block}# END BLOCK MANAGED\n`);
      for (const each of leaving) await file.leave(each);
      expect(file.text).toBe(start);
    }
  }
});
