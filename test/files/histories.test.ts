import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planPack } from "../../src/files/plan.ts";
import { uninstallOwner } from "../../src/files/uninstall.ts";
import { foundSettings, History, movesOf, packOf, type Release, release, step, subjectOf } from "./history.ts";

/** `FC_RUNS=5000 FC_SEED=… npx vitest run test/files/histories.test.ts` looks at more, and at others. */
const numRuns = Number(process.env.FC_RUNS ?? 100);
const releases = fc.tuple(release, release, release);

describe("histories: install, edit, re-key, upgrade, delete, rename, two owners, downgrade, uninstall, in any order", () => {
  it("planning after applying is empty; what a person wrote is never changed or lost; nothing appears twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 14 }),
        releases,
        foundSettings,
        async (steps, shipped, found) => {
          const history = new History();
          history.begin(found);
          let left = false;
          for (const each of steps) {
            await history.perform(each, shipped);
            left ||= each.do === "uninstall";
            expect(history.lost).toEqual([]);
            expect(twice(history, left)).toEqual([]);
          }
        },
      ),
      { numRuns },
    );
  });

  it("with nothing touched by a person: uninstalling both, in any order, gives every byte back", async () => {
    const applies = fc.array(fc.record({ do: fc.constant("apply" as const), owner: fc.nat(1), version: fc.nat(2) }), {
      maxLength: 8,
    });
    const originals = fc.constantFrom(
      "{}\n",
      "{\n}\n",
      '{ "hooks": [] }',
      '{\n\t"z": 1\n}',
      '{\n  "a": 1,\n  "n": { "x": 0 }\n}\n',
      '// mine\n{\n  "hooks": [\n    { "event": "x", "command": "y" } // mine\n  ]\n}\n',
      '\uFEFF{"n":{},\r\n"q":[1,2]}\r\n',
      "",
    );
    await fc.assert(
      fc.asyncProperty(applies, releases, originals, fc.boolean(), async (steps, shipped, original, order) => {
        const history = new History();
        history.write(original);
        for (const each of steps) await history.perform(each, shipped);
        for (const owner of order ? ["owner0", "owner1"] : ["owner1", "owner0"])
          await uninstallOwner(owner, history.machine).catch(() => {});
        expect(history.text).toBe(original);
      }),
      { numRuns },
    );
  });

  it("skipping versions ends where stepping through them ends, wherever the user touched nothing", async () => {
    const edits = fc.array(
      step.filter((each) => each.do !== "apply" && each.do !== "uninstall"),
      { maxLength: 4 },
    );
    const shipped = fc.array(release, { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(shipped, edits, async (versions, user) => {
        const [stepping, skipping] = [new History(), new History()];
        const touched = new Set<string>();
        for (const history of [stepping, skipping]) {
          history.write('{\n  "mine": 1\n}\n');
          await history.apply(0, 0, versions);
          const before = entriesOf(history);
          for (const each of user) await history.perform(each, versions);
          const after = new Map(entriesOf(history));
          for (const [subject, entry] of before) if (after.get(subject) !== entry) touched.add(subject);
        }
        for (const version of versions.keys()) await stepping.apply(0, version, versions);
        await skipping.apply(0, versions.length - 1, versions);
        for (const { from, to } of [
          ...movesOf(0, versions),
          ...movesOf(0, versions).reverse(),
          ...movesOf(0, versions),
        ]) {
          if (touched.has(subjectOf(from)) || touched.has(subjectOf(to)))
            touched.add(subjectOf(from)).add(subjectOf(to));
        }
        const untouched = (entries: Entries) =>
          entries.filter(([subject]) => !touched.has(subject) && !subject.includes("mark")).sort();
        expect(untouched(entriesOf(skipping))).toEqual(untouched(entriesOf(stepping)));
        expect(untouched(entriesOf(skipping))).toEqual(untouched([...wishesOf(versions.at(-1)!), ["mine", "1"]]));
      }),
      { numRuns },
    );
  });

  it("the order of the template decides where things stand, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), releases, release, async (steps, shipped, last) => {
        const history = new History();
        for (const each of steps) await history.perform(each, shipped);
        const plans = await Promise.all(
          ([1, -1] as const).map((order) =>
            planPack(packOf(history.machine, 0, 3, [...shipped, last], order), history.machine),
          ),
        );
        const [forwards, backwards] = plans.map(({ document }) =>
          document.entries.map(({ key, verdict, reason, result }) => ({ key, verdict, reason, result })),
        );
        expect(backwards).toEqual(forwards);
      }),
      { numRuns },
    );
  });
});

/**
 * Hooks that run one script of one owner, however they are wrapped, and names that stand twice in one map. What stays
 * behind when an owner leaves is the user's own, and the owner may well come back with the same script: then only the
 * same command counts.
 */
function twice(history: History, left: boolean): string[] {
  const commands: string[] = (history.data.hooks ?? []).map(({ command }: { command: string }) =>
    left ? command : command.replace(/^nice -n \w+ /, "").split(" ")[1],
  );
  const names = history.text.split("\n").flatMap((line) => /^ {2}"[^"]+"(?=:)/.exec(line) ?? []);
  return [...commands, ...names].filter((each, i, all) => all.indexOf(each) !== i);
}

type Entries = readonly (readonly [subject: string, value: string])[];

function entriesOf(history: History): Entries {
  const { hooks = [], n = {}, ...settings } = history.data;
  const named = [...Object.entries(n).map(([name, value]) => [`n.${name}`, value]), ...Object.entries(settings)];
  return [...hooks.map((hook: { command: string }) => [subjectOf(hook.command), hook]), ...named].map(
    ([subject, value]) => [subject, JSON.stringify(value)],
  );
}

function wishesOf({ hooks, settings }: Release): Entries {
  const shipped = hooks.map(({ script, args, timeout }) => ({
    event: "Stop",
    command: `node ~/o0/s${script}.js -${args}`,
    timeout,
  }));
  return [...shipped.map((hook) => [subjectOf(hook.command), hook] as const), ...Object.entries(settings)].map(
    ([subject, value]) => [subject, JSON.stringify(value)],
  );
}
