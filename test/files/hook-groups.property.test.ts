import fc from "fast-check";
import { expect, it } from "vitest";
import { SharedFile } from "./shared-file.ts";

interface Handler {
  readonly type: string;
  readonly command: string;
  readonly if?: string;
  readonly timeout?: number;
}
type Group = { readonly [field: string]: unknown; readonly hooks: readonly Handler[] };

const maybe = <T>(name: string, values: readonly T[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined }).map((v) => (v === undefined ? {} : { [name]: v }));
const merged = (parts: readonly object[]): object => Object.assign({}, ...parts);

/**
 * Groups that differ in fields no key is made of, and handlers that differ in their condition only: what once got lost.
 */
const handler = fc
  .tuple(fc.constantFrom("a", "b", "c"), maybe("if", ["Bash(git *)"]), maybe("timeout", [5, 9]))
  .map(([command, ...more]) => merged([{ type: "command", command }, ...more]) as Handler);
const group = fc
  .tuple(
    maybe("matcher", ["x", "", "*"]),
    maybe("sequential", [true, false]),
    maybe("description", ["one", "two"]),
    fc.array(handler, { minLength: 1, maxLength: 3 }),
  )
  .map(([...parts]) => merged([...parts.slice(0, 3), { hooks: parts[3] }]) as Group);
const template = fc
  .array(group, { maxLength: 3 })
  .map((groups) => (groups.length === 0 ? {} : { hooks: { Stop: withoutTwins(groups) } }));

/** No command twice under one key: a template with such twins is refused. */
function withoutTwins(groups: readonly Group[]): readonly Group[] {
  const seen = new Set<string>();
  return groups
    .map((each) => ({
      ...each,
      hooks: each.hooks.filter(({ command, if: condition }) => {
        const key = `${each.matcher || "*"} ${command} ${condition}`;
        return !seen.has(key) && seen.add(key);
      }),
    }))
    .filter(({ hooks }) => hooks.length > 0);
}

const starts = [
  "{}\n",
  '{\n  "mine": 1\n}\n',
  '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "mine" } ] } ] } }\n',
  '{\n  "hooks": {\n    "Stop": [\n      {\n        "matcher": "x",\n        "description": "mine",\n        "hooks": []\n      }\n    ]\n  }\n}\n',
  '{\n  "hooks": {\n    "Stop": [\n      { "sequential": true, "hooks": [{ "type": "command", "command": "a", "timeout": 3 }] },\n      { "hooks": [{ "type": "command", "command": "a", "timeout": 7 }] }\n    ]\n  }\n}\n',
];
const owner = fc.constantFrom("alpha", "beta");
/** Owners that share commands, in groups with other fields: whose a group is then depends on who leaves last. */
const apply = fc.record({ do: fc.constant("apply" as const), owner, template });
const leave = fc.record({ do: fc.constant("leave" as const), owner });
const edit = fc.record({
  do: fc.constant("edit" as const),
  group: fc.nat(3),
  how: fc.constantFrom("field", "no field", "handler", "condition"),
});

const groupsOf = (text: string | undefined): Group[] => JSON.parse(text ?? "{}").hooks?.Stop ?? [];

it("releases that ship groups with fields, and leave, give every byte back", async () => {
  const histories = fc.record({
    start: fc.constantFrom(...starts),
    steps: fc.array(fc.oneof({ weight: 4, arbitrary: apply }, leave), { maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(histories, async ({ start, steps }) => {
      const file = new SharedFile(".claude/settings.json", "entries", start);
      for (const step of steps) {
        if (step.do === "leave") await file.leave(step.owner).catch(() => undefined);
        else {
          const pack = file.release(step.owner, step.template);
          await file.apply(pack);
          expect((await file.plan(pack)).document.changed, file.text).toBe(0);
          for (const each of groupsOf(file.text)) expect(each.hooks, file.text).toBeInstanceOf(Array);
        }
      }
      const shown = file.text;
      for (const each of ["alpha", "beta"]) await file.leave(each).catch(() => undefined);
      expect(file.text, shown).toBe(start);
    }),
    { numRuns: Number(process.env.STET_HISTORIES ?? 60) },
  );
});

it("whatever a person writes into groups meanwhile stands, and no group loses its list", async () => {
  const histories = fc.record({
    start: fc.constantFrom(...starts),
    steps: fc.array(fc.oneof({ weight: 3, arbitrary: apply }, leave, { weight: 3, arbitrary: edit }), { maxLength: 7 }),
  });
  await fc.assert(
    fc.asyncProperty(histories, async ({ start, steps }) => {
      const file = new SharedFile(".claude/settings.json", "entries", start);
      for (const [count, step] of steps.entries()) {
        if (step.do === "leave") await file.leave(step.owner).catch(() => undefined);
        else if (step.do === "apply") {
          const pack = file.release(step.owner, step.template);
          await file.apply(pack);
          expect((await file.plan(pack)).document.changed, file.text).toBe(0);
        } else file.write(edited(file.text ?? "{}", step, count));
        for (const each of groupsOf(file.text)) expect(each.hooks, file.text).toBeInstanceOf(Array);
        const notes = steps.slice(0, count + 1).flatMap((each, i) => (each.do === "edit" ? [i] : []));
        for (const note of notes) if (written.has(note)) expect(file.text).toContain(`"note ${note}"`);
      }
    }),
    { numRuns: Number(process.env.STET_HISTORIES ?? 60) },
  );
});

/** Which edits of the running history wrote something of their own. */
const written = new Set<number>();

function edited(text: string, { group: at, how }: { group: number; how: string }, count: number): string {
  if (count === 0) written.clear();
  written.delete(count);
  const document = JSON.parse(text);
  const groups: Record<string, unknown>[] = document.hooks?.Stop ?? [];
  const chosen = groups[at % Math.max(groups.length, 1)];
  if (chosen === undefined) return text;
  const hooks = chosen.hooks as object[];
  if (how === "field") chosen.description = `note ${count}`;
  else if (how === "no field") delete chosen.sequential;
  else if (how === "handler") hooks.push({ type: "command", command: `note ${count}` });
  else if (hooks[0]) Object.assign(hooks[0], { statusMessage: `note ${count}` });
  if (how !== "no field" && (how !== "condition" || hooks[0])) written.add(count);
  // What an earlier note was replaced by is the person's own doing.
  const next = `${JSON.stringify(document, undefined, 2)}\n`;
  for (const note of written) if (!next.includes(`"note ${note}"`)) written.delete(note);
  return next;
}
