import { expect } from "vitest";
import { changesAnything, type PlanOptions } from "../../src/engine/plan-owner.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { planPack } from "../../src/files/plan.ts";
import { verdicts, type World } from "./world.ts";

/** Apply, and see that planning again finds nothing left to do, in files or records. Returns what was decided. */
export async function applyStable(
  world: World,
  manifest: object,
  options: PlanOptions = {},
): Promise<Record<string, string>> {
  const document = await world.apply(manifest, options);
  const again = await planPack(readPack(world.machine.gate, manifest), world.machine, options);
  expect({ again: verdicts(again.document), changes: changesAnything(again) }).toMatchObject({ changes: false });
  return verdicts(document);
}

/** A pack of one file. */
export function packOf(target: string, version: string, template: unknown, more: object = {}): object {
  return { name: "zylos", version, files: [{ target, template }], ...more };
}

/** Hooks in groups, as Claude Code has them: one event, one matcher, some commands. */
export function nestedHook(event: string, matcher: string | undefined, ...hooks: readonly object[]): object {
  return {
    hooks: {
      [event]: [
        { ...(matcher === undefined ? {} : { matcher }), hooks: hooks.map((each) => ({ type: "command", ...each })) },
      ],
    },
  };
}
