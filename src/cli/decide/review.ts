import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { Machine } from "../../engine/machine.ts";
import { ownersOf } from "../../engine/records.ts";
import { inOrder, type WaitingEntry, type WaitingFilter, whatWaits } from "../../files/decide.ts";
import { entriesOfFile, unknownOwner } from "../../files/places/find-entries.ts";
import { printableLine } from "../../report/colour.ts";
import { jsonText } from "../../report/json-text.ts";
import { instancesOf } from "../files/instances.ts";
import { defineCommand } from "../shell/command.ts";
import { type Io, tell } from "../shell/io.ts";
import { type CommonValues, machineOf } from "../shell/options.ts";
import { ReviewWalk } from "./review-walk.ts";

export const command = defineCommand({
  name: "review",
  usage: "[NAME|FILE]",
  argument: "owner",
  most: 1,
  about: `Walks you through everything that needs you: conflicts, entries you deleted, entries you edited. You answer
each with one key. Nothing is written until you have seen the result at the end. Ctrl-C writes nothing.`,
  options: {},
  example: "stet review",
  async run({ values, positionals }, io) {
    return review(positionals[0], values, io);
  },
});

/** For `review`, and for `resolve` without a word of what. */
export async function review(argument: string | undefined, values: CommonValues, io: Io): Promise<number> {
  const look = () => waitingFor(argument, values, io);
  const found = await look();
  if (values.json) {
    const documents = found.map(({ view, seen, commands }) => ({ ...view, answers: commands, seen }));
    io.out(`${jsonText({ format_version: 1, waiting: documents })}\n`);
    return 0;
  }
  if (found.length === 0) {
    if (argument !== undefined) refuseUnknown(argument, values, io);
    if (!values.quiet) tell(io, "Nothing waits for you.\n");
    return 0;
  }
  const keyboard = io.keyboard?.();
  if (keyboard === undefined) throw noTerminal(found, io);
  const walk = new ReviewWalk(found, look, machineOf(values, io), values, io, keyboard);
  try {
    return await walk.run();
  } finally {
    keyboard.close();
  }
}

async function waitingFor(argument: string | undefined, values: CommonValues, io: Io): Promise<WaitingEntry[]> {
  const found: WaitingEntry[] = [];
  for (const each of instancesOf(values, io))
    found.push(...(await whatWaits(each, { ...filterOf(argument, each, io), secrets: values["show-secrets"] })));
  return inOrder(found);
}

function filterOf(argument: string | undefined, machine: Machine, io: Io): WaitingFilter {
  if (argument === undefined) return {};
  if (ownersOf(machine).includes(argument)) return { owner: argument };
  return { file: argument.startsWith("~") ? argument : resolve(io.cwd, argument) };
}

/** Nothing waits in what nobody has: then it is a mistake, and not a calm day. */
function refuseUnknown(argument: string, values: CommonValues, io: Io): void {
  const instances = instancesOf(values, io);
  const query = { text: argument, folder: io.cwd };
  const isKnown = (each: Machine) => ownersOf(each).includes(argument) || entriesOfFile(each, query).length > 0;
  if (!instances.some(isKnown)) throw unknownOwner(argument, instances.at(-1)!, instances);
}

/** Scripts and agents get the commands that do the same. */
function noTerminal(waiting: readonly WaitingEntry[], io: Io): InputError {
  for (const { view, commands } of waiting) {
    tell(io, `${printableLine(view.key)}  ${view.word}\n`);
    for (const { effect, command } of commands) tell(io, `  ${effect}: ${command}\n`);
  }
  return new InputError({
    code: "no-terminal",
    message: "review needs a terminal, and there is none; use the commands listed here",
  });
}
