import fc from "fast-check";
import { expect, it } from "vitest";
import { World } from "./world.ts";

/**
 * Files as people have them, in every format, also with just what an owner ships; what an owner adds must go without a
 * trace.
 */
const originals = {
  json: [
    "{}\n",
    '{\n  "own": 1\n}\n',
    '// mine\n{ "n": {} }',
    '{\r\n\t"own": [1,\r\n\t2]\r\n}',
    '{ "a": 1, "n": { "x": 0 } }',
  ],
  yaml: ["own: 1\n", "# mine\nown:\n  - 1\n  - 2\nn:\n  z: 1 # here\n", "own: {a: 1}\n\n# end\n", "a: 1\nn:\n  x: 0\n"],
  toml: ["own = 1\n", "# mine\nown = 1\n\n[n]\nz = 1 # here\n", '[[list]]\na = "x"\n', "a = 1\n[n]\nx = 0\n"],
  env: ["OWN=1\n", "# mine\nexport OWN='a b'\n\nZ=1", "OWN=1\r\n", "A=1\nexport B='0'\n"],
} as const;

type Format = keyof typeof originals;

/** Nested names only where the format nests. */
const names = { nested: ["a", "b", "n.x", "n.y", "m.deep.z"], flat: ["A", "B", "C", "D"] } as const;

function templateOf(format: Format, wishes: Readonly<Record<string, number>>): object {
  const template: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wishes)) {
    const steps = name.split(".");
    let at = template;
    for (const step of steps.slice(0, -1)) at = at[step] = (at[step] ?? {}) as Record<string, unknown>;
    at[steps.at(-1)!] = format === "env" ? String(value) : value;
  }
  return template;
}

interface Step {
  readonly owner: "alpha" | "beta";
  readonly do: "apply" | "uninstall";
  readonly wishes: Readonly<Record<string, number>>;
}

const history = fc.constantFrom(...(Object.keys(originals) as Format[])).chain((format) => {
  const wishes = fc.dictionary(fc.constantFrom(...(format === "env" ? names.flat : names.nested)), fc.nat(2), {
    maxKeys: 4,
  });
  const step: fc.Arbitrary<Step> = fc.record({
    owner: fc.constantFrom("alpha" as const, "beta" as const),
    do: fc.oneof(
      { weight: 4, arbitrary: fc.constant("apply" as const) },
      { weight: 1, arbitrary: fc.constant("uninstall" as const) },
    ),
    wishes,
  });
  return fc.record({
    format: fc.constant(format),
    original: fc.constantFrom<string>(...originals[format]),
    steps: fc.array(step, { minLength: 2, maxLength: 6 }),
    lastOut: fc.constantFrom("alpha" as const, "beta" as const),
  });
});

it("any two owners, in any order, in any format: nothing twice, each content or told why not, and every byte back", async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ format, original, steps, lastOut }) => {
      const world = new World();
      const file = format === "env" ? ".env" : `config.${format}`;
      world.write(file, original);
      for (const [version, step] of steps.entries()) {
        if (step.do === "uninstall") {
          await world.uninstall(step.owner).catch(() => undefined);
          continue;
        }
        const files = [{ target: `~/${file}`, template: templateOf(format, step.wishes) }];
        const pack = { name: step.owner, version: `${version}.0.0`, files };
        await world.apply(pack);
        const again = await world.plan(pack);
        expect(again.changed).toBe(0);
        for (const { verdict, reason } of again.entries)
          expect(["unchanged", "conflict owners-differ", "keep user-owned"]).toContain(
            `${verdict}${reason ? ` ${reason}` : ""}`,
          );
      }
      for (const owner of [lastOut === "alpha" ? "beta" : "alpha", lastOut])
        await world.uninstall(owner).catch(() => undefined);
      expect(world.read(file)).toBe(original);
    }),
    { numRuns: 25 },
  );
});
