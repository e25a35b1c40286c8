/** What stands under a key, as text; undefined: nothing. */
export type Standing = string | undefined;
export type Values = Readonly<Record<string, Standing>>;

/** What one version of an owner wants, by key, and which keys it says it renamed. */
export interface Wish {
  readonly values: Readonly<Record<string, string>>;
  readonly renames?: Readonly<Record<string, string>>;
  /**
   * Its policy takes what it finds, and overwrites edits: then a user's value may give way, but what was found has to
   * come back.
   */
  readonly overwrites?: boolean;
}

/**
 * What is known of one key by watching who wrote what. `either`: user and owner wrote alike after the owner was there,
 * so nobody who only sees the file and the records can tell whose it is.
 */
interface Cell {
  readonly stands: Standing;
  readonly by: "user" | "owner" | "either";
  /** What may stand here once every owner has left, while what stands is the owner's. */
  readonly beneath: readonly Standing[];
  /** What owners wrote here, or want here while they have it on record. */
  readonly ours: readonly string[];
  readonly holders: readonly string[];
  /**
   * What an owner wrote and handed over to the user: what would stand had it never come. Taken back, it may count as
   * either's.
   */
  readonly handed?: readonly Standing[];
}

const untouched: Cell = { stands: undefined, by: "user", beneath: [undefined], ours: [], holders: [] };

/**
 * The independent model: it knows nothing of records, verdicts or policies. It sees the user's acts, and what each
 * owner's act made of the file, and says which laws the act broke.
 */
export class Model {
  readonly #cells: ReadonlyMap<string, Cell>;
  /** What each owner wants since it was last applied. */
  readonly #wishes: ReadonlyMap<string, Wish>;

  constructor(cells: ReadonlyMap<string, Cell> = new Map(), wishes: ReadonlyMap<string, Wish> = new Map()) {
    this.#cells = cells;
    this.#wishes = wishes;
  }

  get key(): string {
    return JSON.stringify([[...this.#cells].sort(byName), [...this.#wishes].sort(byName)], (_, value) => value ?? null);
  }

  stands(key: string): Standing {
    return this.#cell(key).stands;
  }

  wishOf(owner: string): Wish | undefined {
    return this.#wishes.get(owner);
  }

  userWrites(key: string, value: Standing): Model {
    const cell = this.#cell(key);
    if (cell.stands === value) return this;
    const alike = value !== undefined && cell.ours.includes(value);
    return this.#with(key, { ...withoutHanded(cell), stands: value, by: alike ? "either" : "user" });
  }

  /** An owner made its wish true; `after` is what stands now. */
  applied(owner: string, wish: Wish, after: Values): Judged {
    const judge = new Judge(this.#cells, after);
    for (const [from, to] of Object.entries(wish.renames ?? {})) judge.rename(from, to);
    for (const key of Object.keys(after)) judge.apply(owner, key, wish);
    return { model: new Model(judge.cells, new Map(this.#wishes).set(owner, wish)), broken: judge.broken };
  }

  left(owner: string, after: Values): Judged {
    const { model, broken } = this.applied(owner, { values: {} }, after);
    return { model: model.#forget(owner), broken };
  }

  /** The records of an owner are gone: whatever it wrote is now anybody's. */
  lost(owner: string): Model {
    const cells = [...this.#cells].map(([key, cell]) => [key, without(owner, cell)] as const);
    return new Model(new Map(cells), this.#wishes).#forget(owner);
  }

  adopted(owner: string, key: string, after: Values): Judged {
    const [cell, wanted] = [this.#cell(key), this.#wishes.get(owner)?.values[key]];
    const changed = after[key] !== cell.stands;
    const held = {
      ours: wanted === undefined ? cell.ours : [...new Set([...cell.ours, wanted])],
      holders: joined(cell.holders, owner),
    };
    const found = cell.by === "user" ? [cell.stands, ...(cell.handed ?? [])] : cell.beneath;
    if (changed) {
      const broken =
        cell.by === "user" && cell.stands !== undefined ? [`adopting ${key} replaced what the user wrote`] : [];
      return { model: this.#with(key, { stands: after[key], by: "owner", beneath: found, ...held }), broken };
    }
    const by = cell.by === "user" && cell.stands === wanted ? "owner" : cell.by;
    return { model: this.#with(key, { ...cell, by, beneath: found, ...held }), broken: [] };
  }

  disowned(owner: string, key: string): Model {
    const [cell, left] = [this.#cell(key), without(owner, this.#cell(key))];
    return this.#with(key, left.holders.length > 0 || cell.by === "user" ? left : { ...left, handed: cell.beneath });
  }

  /** Back to how things were at `then`: the owner's part of it, while what the user wrote since stands. */
  wentBack(owner: string, then: Model, after: Values): Judged {
    const broken: string[] = [];
    let model: Model = this;
    for (const key of Object.keys(after)) {
      const [now, old] = [this.#cell(key), then.#cell(key)];
      if (now.by === "user" && now.stands !== undefined && after[key] !== now.stands)
        broken.push(`going back took the user's ${key}`);
      const same = now.by === "user" && after[key] === now.stands;
      const by = same ? (old.by === "user" ? "user" : "either") : after[key] === old.stands ? old.by : "either";
      const beneath = [...new Set([...old.beneath, ...(now.by === "user" ? [now.stands] : now.beneath)])];
      model = model.#with(key, { ...old, stands: after[key], by, beneath });
    }
    const wish = then.#wishes.get(owner);
    return {
      model: wish ? new Model(model.#cells, new Map(model.#wishes).set(owner, wish)) : model.#forget(owner),
      broken,
    };
  }

  #forget(owner: string): Model {
    const wishes = new Map(this.#wishes);
    wishes.delete(owner);
    return new Model(this.#cells, wishes);
  }

  #cell(key: string): Cell {
    return this.#cells.get(key) ?? untouched;
  }

  #with(key: string, cell: Cell): Model {
    return new Model(new Map(this.#cells).set(key, cell), this.#wishes);
  }
}

/** A model after an act, and the laws that the act broke. */
export interface Judged {
  readonly model: Model;
  readonly broken: readonly string[];
}

/** Looks at what an owner's act made of each key. */
class Judge {
  readonly cells: Map<string, Cell>;
  readonly broken: string[] = [];
  readonly #after: Values;

  constructor(cells: ReadonlyMap<string, Cell>, after: Values) {
    this.cells = new Map(cells);
    this.#after = after;
  }

  /** A renamed entry takes along what the user made of it. */
  rename(from: string, to: string): void {
    const [source, target] = [this.#cell(from), this.#cell(to)];
    const moved = source.stands !== undefined && this.#after[from] === undefined && this.#after[to] !== undefined;
    if (!moved || source.holders.length === 0 || target.stands !== undefined) return;
    if (source.by === "user" && this.#after[to] !== source.stands) return;
    this.cells.set(from, untouched).set(to, source);
  }

  apply(owner: string, key: string, wish: Wish): void {
    const cell = this.#cell(key);
    this.cells.set(
      key,
      this.#after[key] === cell.stands ? this.#unchanged(owner, key, wish) : this.#changed(owner, key, wish),
    );
  }

  #unchanged(owner: string, key: string, { values, overwrites = false }: Wish): Cell {
    const [cell, wanted] = [this.#cell(key), values[key]];
    if (wanted === undefined) {
      const left = without(owner, cell);
      const dropped = cell.by === "owner" && cell.holders.includes(owner) && left.holders.length === 0;
      if (dropped && !cell.beneath.includes(cell.stands)) this.broken.push(`${key} stays behind as ${cell.stands}`);
      return left;
    }
    // What was found is never ours, however equal: only where an owner was there before does it count as written alike.
    if (cell.holders.length === 0) return overwrites ? taken(owner, cell, wanted) : cell;
    const alike = cell.stands === wanted;
    if (!alike && !cell.holders.includes(owner)) return cell;
    const ours = [...new Set([...cell.ours, wanted])];
    return {
      ...cell,
      ours,
      holders: joined(cell.holders, owner),
      by: alike && cell.by === "user" ? "either" : cell.by,
    };
  }

  #changed(owner: string, key: string, { values, overwrites = false }: Wish): Cell {
    const [cell, after, wanted] = [this.#cell(key), this.#after[key], values[key]];
    if (overwrites) return this.#overwritten(owner, key, wanted);
    if (cell.by === "user" && cell.stands !== undefined)
      this.broken.push(`${key}: the user's ${cell.stands} became ${after}`);
    if (after !== undefined && after === wanted) {
      const beneath =
        cell.by === "user" ? [cell.stands] : cell.by === "either" ? [...cell.beneath, cell.stands] : cell.beneath;
      return {
        stands: after,
        by: "owner",
        beneath,
        ours: [...new Set([...cell.ours, after])],
        holders: joined(cell.holders, owner),
      };
    }
    if (wanted !== undefined || !(cell.by === "either" || cell.beneath.includes(after)))
      this.broken.push(`${key}: ${cell.stands} became ${after}, which nobody asked for`);
    return { ...without(owner, cell), stands: after, by: "user" };
  }

  /**
   * Where edits give way, what was found before the first owner came does not: it is what has to stand when the last
   * one has left.
   */
  #overwritten(owner: string, key: string, wanted: string | undefined): Cell {
    const [cell, after] = [this.#cell(key), this.#after[key]];
    const found = cell.holders.length === 0 || cell.stands === undefined ? [cell.stands] : cell.beneath;
    if (after !== undefined && after === wanted)
      return { ...taken(owner, cell, wanted), stands: after, by: "owner", beneath: found };
    if (!found.includes(after)) this.broken.push(`${key}: ${cell.stands} became ${after}, and not what was found`);
    return { ...without(owner, cell), stands: after, by: "user" };
  }

  #cell(key: string): Cell {
    return this.cells.get(key) ?? untouched;
  }
}

/** What an owner found, and has on record from now on. */
function taken(owner: string, cell: Cell, wanted: string): Cell {
  const ours = [...new Set([...cell.ours, wanted])];
  return {
    ...cell,
    by: cell.stands === wanted ? "owner" : cell.by,
    beneath: [cell.stands],
    ours,
    holders: joined(cell.holders, owner),
  };
}

/** Without one of its owners; with the last of them what stands is the user's. */
function without(owner: string, cell: Cell): Cell {
  const holders = cell.holders.filter((each) => each !== owner);
  return holders.length > 0 ? { ...cell, holders } : { ...untouched, stands: cell.stands };
}

function withoutHanded({ handed: _, ...cell }: Cell): Cell {
  return cell;
}

function joined(holders: readonly string[], owner: string): readonly string[] {
  return holders.includes(owner) ? holders : [...holders, owner].sort();
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
