import fs from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { pushAll } from "../../core/lists.ts";
import { quoted } from "../../core/messages.ts";
import type { Machine } from "../../engine/machine.ts";
import type { OwnerPlan } from "../../engine/plan-owner.ts";
import { ownersOf } from "../../engine/records.ts";
import { type ConflictCopy, copyWithMarkers } from "../../files/edit-conflict.ts";
import { type Query, unknownOwner } from "../../files/places/find-entries.ts";
import { mergeProjectRecords } from "../../files/project.ts";
import { adoptAll, adoptEntries, disownEntries, resolveConflict } from "../../files/settle.ts";
import { fileError } from "../../store/gate/store-error.ts";
import { defineCommand } from "../shell/command.ts";
import { type Io, tell } from "../shell/io.ts";
import { type EditedCopy, editCopy, stampOf } from "../shell/open-editor.ts";
import { type CommonValues, machineOf } from "../shell/options.ts";
import { byInstance, instancesOf, instanceWith, nothingInstalled } from "./instances.ts";
import { keepFingerprints, keepFingerprintsHere } from "./keep-fingerprints.ts";
import { showSettled } from "./show-plan.ts";

export const resolveCommand = defineCommand({
  name: "resolve",
  usage: "KEY|FILE --mine|--theirs|--edit",
  argument: "key",
  most: 1,
  about:
    "Settles a conflict, or every conflict in a file. KEY may be FILE#KEY, or any part of a key that only one entry has.\n" +
    "If FILE is just as an earlier version left it, --theirs brings all of it up to date.",
  options: {
    mine: { type: "boolean", help: "keep your value" },
    theirs: { type: "boolean", help: "take the owner's value where the two conflict" },
    edit: {
      type: "boolean",
      help: "for text: edit a copy that has both sides between markers ($VISUAL or $EDITOR)",
    },
    from: { type: "string", value: "COPY", help: "with --edit: use this edited copy instead of opening an editor" },
    owner: { type: "string", value: "NAME", help: "which owner you mean, if two differ" },
  },
  example: "stet resolve setting:theme --mine",
  async run({ values, positionals }, io) {
    const [text] = positionals;
    const choices = [values.mine, values.theirs, values.edit].filter((choice) => choice === true);
    if (text === undefined && choices.length === 0)
      return (await import("../decide/review.ts")).review(undefined, values, io);
    if (text !== undefined && choices.length === 0 && (await mergedRecords(text, values, io))) return 0;
    if (text === undefined || choices.length !== 1 || (values.from !== undefined && !values.edit)) {
      const key = quoted(text ?? "KEY");
      const message = `say whose value to keep: ${io.program} resolve ${key} --mine, or --theirs, or --edit`;
      throw new InputError({ code: "usage", message });
    }
    const query: Query = { text, owner: values.owner, folder: io.cwd };
    const machine = instanceWith(query, values, io);
    const plans = values.edit
      ? await resolveByEditing(query, values.from, machine, io)
      : await resolveConflict(query, values.mine ? "mine" : "theirs", machine);
    showSettled(plans, values, io, machine.home, "resolve");
    await keepFingerprints(plans, machine, io);
    return 0;
  },
});

/** A copy that is not finished is kept, and the way to go on is said: nobody's work in an editor is thrown away. */
async function resolveByEditing(
  query: Query,
  from: string | undefined,
  machine: Machine,
  io: Io,
): Promise<OwnerPlan[]> {
  const conflict = await copyWithMarkers(query, machine);
  const copy = from === undefined ? editCopy(conflict, io) : finishedCopy(resolve(io.cwd, from), conflict);
  try {
    const plans = await conflict.settle(copy.text, copy.path);
    copy.remove();
    return plans;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const goOn = `finish ${copy.path} and run: ${io.program} resolve ${query.text} --edit --from ${copy.path}`;
    throw new InputError({ ...error.diagnostic, message: `${error.diagnostic.message}; nothing was changed, ${goOn}` });
  }
}

/** A copy that somebody has gone on with. One that was made of an older text would take newer edits away. */
function finishedCopy(path: string, { madeOf, file }: ConflictCopy): EditedCopy {
  if (madeOf !== (stampOf(path) ?? madeOf)) {
    const message = `${file} changed since this copy was made; run again without --from, and copy what you need from it`;
    throw new InputError({ code: "file-changed", message, file: path });
  }
  try {
    return { path, text: fs.readFileSync(path, "utf8"), remove: () => {} };
  } catch (cause) {
    throw fileError("read", path, cause);
  }
}

/** Records of a project that Git left in conflict: both sides are merged. False where the argument names none. */
async function mergedRecords(text: string, values: CommonValues, io: Io): Promise<boolean> {
  const path = resolve(io.cwd, text);
  const name = basename(path, ".json");
  if (basename(dirname(path)) !== ".stet" || !path.endsWith(".json")) return false;
  const machine = machineOf(values, io);
  const merged = mergeProjectRecords(machine, dirname(dirname(path)), name);
  if (!values.quiet)
    tell(
      io,
      merged ? `${text}: both sides are merged; now run: ${io.program} apply\n` : `${text}: nothing is in conflict\n`,
    );
  return true;
}

export const adoptCommand = defineCommand({
  name: "adopt",
  usage: "KEY… | --all",
  argument: "key",
  about: `Lets an owner manage entries that it does not manage now: ones that were there before it, ones you made
yours, and ones you deleted (they come back). If your value differs from the owner's, it counts as your
edit and stays.`,
  options: {
    all: { type: "boolean", help: "adopt everything that can be adopted" },
    owner: { type: "string", value: "NAME", help: "only this owner's entries" },
  },
  example: "stet adopt setting:env.EDITOR",
  async run({ values, positionals }, io) {
    if ((positionals.length === 0) !== (values.all === true)) {
      throw new InputError({ code: "usage", message: `name at least one entry: ${io.program} adopt KEY…, or --all` });
    }
    const plans: OwnerPlan[] = [];
    if (values.all) pushAll(plans, await adoptWaiting(values, io));
    return settleNamed(positionals, adoptEntries, plans, values, io);
  },
});

export const disownCommand = defineCommand({
  name: "disown",
  usage: "KEY…",
  argument: "key",
  about: "Makes entries yours for good: stet no longer writes, removes or puts them back, until you adopt them again.",
  options: {
    owner: { type: "string", value: "NAME", help: "only this owner's entries" },
  },
  example: "stet disown 'hook:Stop:*:node ~/zylos/stop.js'",
  async run({ values, positionals }, io) {
    if (positionals.length === 0)
      throw new InputError({ code: "usage", message: `name at least one entry: ${io.program} disown KEY…` });
    return settleNamed(positionals, disownEntries, [], values, io);
  },
});

/** Settles the entries of these names, wherever they are on record, and shows that with what was settled before. */
async function settleNamed(
  names: readonly string[],
  settle: typeof adoptEntries,
  before: readonly OwnerPlan[],
  values: CommonValues & { readonly owner?: string },
  io: Io,
): Promise<number> {
  const queries = names.map((text) => ({ text, owner: values.owner, folder: io.cwd }));
  const plans = [...before];
  for (const [machine, own] of byInstance(queries, values, io)) pushAll(plans, await settle(own, machine));
  showSettled(plans, values, io, machineOf(values, io).home);
  await keepFingerprintsHere(plans, values, io);
  return 0;
}

async function adoptWaiting({ owner, ...values }: CommonValues & { readonly owner?: string }, io: Io) {
  const instances = instancesOf(values, io);
  // To do nothing without a word would look like success, where a pack was only planned and never applied.
  if (instances.every((machine) => ownersOf(machine).length === 0))
    throw new InputError({ code: "unknown-owner", message: nothingInstalled(io.program) });
  const own = instances.filter((machine) => owner === undefined || ownersOf(machine).includes(owner));
  if (owner !== undefined && own.length === 0) throw unknownOwner(owner, instances[0]!);
  const plans: OwnerPlan[] = [];
  for (const machine of own) pushAll(plans, await adoptAll(machine, owner));
  return plans;
}
