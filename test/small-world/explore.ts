import { InputError } from "../../src/core/diagnostic.ts";
import { type Judged, Model } from "./model.ts";
import { keys, type Snapshot, type Version, World } from "./world.ts";

export interface SmallWorld {
  readonly owners: Readonly<Record<string, readonly Version[]>>;
  readonly values: readonly string[];
  /** How many acts a history has at most. */
  readonly length: number;
  /** Whether owners also go back: then what was before is part of what is looked at, and fewer histories end alike. */
  readonly rollback: boolean;
  /**
   * Of the acts that may come last, each history tries one in so many, and the next history others:
   * they are nine tenths of all.
   */
  readonly everyLast: number;
}

interface Moment {
  readonly files: Snapshot;
  readonly model: Model;
  readonly acts: readonly string[];
  /** The models that an owner can go back to. */
  readonly past: Readonly<Record<string, readonly Model[]>>;
}

interface Act {
  readonly name: string;
  /** Undefined: it can't be done here. */
  run(world: World, moment: Moment): Promise<Done | undefined>;
}

type Done = Judged & { readonly past?: Moment["past"] };

export interface Explored {
  readonly moments: number;
  readonly acts: number;
  /** The shortest history of each law that was broken. */
  readonly broken: readonly string[];
}

/**
 * Every history up to a length, the shortest first, or of the longest a part. Those that end in the same files and the same knowledge are
 * continued once.
 */
export async function explore(small: SmallWorld): Promise<Explored> {
  const world = new World();
  const acts = actsOf(small);
  const seen = new Set<string>();
  const broken: string[] = [];
  let count = 0;
  world.write("a", undefined);
  let moments: Moment[] = [{ files: world.snapshot, model: new Model(), acts: [], past: {} }];
  for (let length = 1; length <= small.length; length++) {
    const next: Moment[] = [];
    const every = length === small.length ? small.everyLast : 1;
    for (const [turn, moment] of moments.entries()) {
      for (const act of acts.filter((_, index) => (index + turn) % every === 0)) {
        world.restore(moment.files);
        const done = await attempt(act, world, moment);
        if (done === undefined) continue;
        count++;
        const names = [...moment.acts, act.name];
        if (done.broken.length > 0) {
          broken.push(`${names.join("; ")} → ${done.broken.join(", ")}`);
          continue;
        }
        if (!small.rollback) world.forgetHistory();
        const files = world.snapshot;
        const identity = `${textOf(files)}${done.model.key}`;
        if (seen.has(identity)) continue;
        seen.add(identity);
        next.push({ files, model: done.model, acts: names, past: done.past ?? moment.past });
      }
    }
    moments = next;
  }
  return { moments: seen.size, acts: count, broken };
}

/** What is refused with a message changes nothing; anything else that is thrown is a crash, and no law allows one. */
async function attempt(act: Act, world: World, moment: Moment): Promise<Done | undefined> {
  try {
    return await act.run(world, moment);
  } catch (error) {
    if (error instanceof InputError && error.diagnostic.code === "unknown-key") return undefined;
    return { model: moment.model, broken: [`crash: ${String(error)}`] };
  }
}

function textOf(files: Snapshot): string {
  return [...files]
    .map(([path, bytes]) => `${path}\n${bytes.toString("utf8")}`)
    .sort()
    .join("\n");
}

function actsOf(small: SmallWorld): Act[] {
  const names = Object.keys(small.owners);
  return [
    ...keys.flatMap((key) => small.values.map((value) => userWrites(key, value))),
    ...keys.map((key) => userWrites(key, undefined)),
    ...names.flatMap((owner) => small.owners[owner]!.map((version) => applies(owner, version))),
    ...names.flatMap((owner) => [uninstalls(owner), losesRecords(owner), ...(small.rollback ? [goesBack(owner)] : [])]),
    ...names.flatMap((owner) => keys.flatMap((key) => [adopts(owner, key), disowns(owner, key)])),
  ];
}

function userWrites(key: string, value: string | undefined): Act {
  return {
    name: value === undefined ? `user deletes ${key}` : `user writes ${key} ${value}`,
    run: async (world, { model }) => {
      // Typing again what is there changes no byte.
      if (model.stands(key) === value) return undefined;
      world.write(key, value);
      return { model: model.userWrites(key, value), broken: [] };
    },
  };
}

function applies(owner: string, version: Version): Act {
  return {
    name: `${owner} applies ${version.name}`,
    run: async (world, { model, past }) => {
      const { held, again } = await world.apply(owner, version);
      const planned = again ? ["planning after applying is not empty"] : [];
      if (held) return { model, broken: planned };
      const judged = model.applied(owner, version, world.values);
      return { model: judged.model, broken: [...judged.broken, ...planned], past: remembered(past, owner, model) };
    },
  };
}

function uninstalls(owner: string): Act {
  return {
    name: `${owner} leaves`,
    run: async (world, { model, past }) => {
      if (model.wishOf(owner) === undefined) return undefined;
      await world.uninstall(owner);
      return { ...model.left(owner, world.values), past: remembered(past, owner, model) };
    },
  };
}

function losesRecords(owner: string): Act {
  return {
    name: `the records of ${owner} are lost`,
    run: async (world, { model, past }) => {
      if (model.wishOf(owner) === undefined) return undefined;
      world.loseRecords(owner);
      return { model: model.lost(owner), broken: [], past: { ...past, [owner]: [] } };
    },
  };
}

function goesBack(owner: string): Act {
  return {
    name: `${owner} goes back`,
    run: async (world, { model, past }) => {
      const [then, ...before] = past[owner] ?? [];
      if (then === undefined) return undefined;
      await world.rollback(owner);
      return { ...model.wentBack(owner, then, world.values), past: { ...past, [owner]: before } };
    },
  };
}

function adopts(owner: string, key: string): Act {
  return {
    name: `adopt ${key} for ${owner}`,
    run: async (world, { model, past }) => {
      if (model.wishOf(owner)?.values[key] === undefined) return undefined;
      await world.adopt(owner, key);
      return { ...model.adopted(owner, key, world.values), past: remembered(past, owner, model) };
    },
  };
}

function disowns(owner: string, key: string): Act {
  return {
    name: `disown ${key} of ${owner}`,
    run: async (world, { model, past }) => {
      if (model.wishOf(owner) === undefined) return undefined;
      await world.disown(owner, key);
      return { model: model.disowned(owner, key), broken: [], past: remembered(past, owner, model) };
    },
  };
}

/**
 * An act that changed nothing leaves no generation: going back then goes further, so the model says nothing about that.
 */
function remembered(past: Moment["past"], owner: string, model: Model): Moment["past"] {
  return { ...past, [owner]: [model, ...(past[owner] ?? [])] };
}
