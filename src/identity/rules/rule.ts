/** How entries of one kind are found in a document and told apart: data, written in manifests and profiles. */
export interface Rule {
  readonly type: string;
  /** Where: dotted names from the root; `name[]` walks a list, `{name}` walks a map and captures its key. */
  readonly at: string;
  /** What makes two entries the same one. */
  readonly key: readonly PartText[];
  /** What is still the same after a typical edit by a user or a new release; weaker than the key. */
  readonly pair?: readonly PartText[] | undefined;
  /**
   * `end`: new items go to the end of their list, because the runtime counts positions. Otherwise beside their template
   * neighbour.
   */
  readonly position?: "end" | undefined;
  /** A single value may stand where the list would: the runtime takes it for a list of one. */
  readonly single?: true | undefined;
}

/**
 * `field`, `field|normaliser`, `{capture}`, `value` (a scalar item itself), or `server+tool` (both together);
 * a list of them means the first that is present. `field?` is a part only where the field is set; such parts come last.
 */
export type PartText = string | readonly string[];

export const normaliserNames = ["path", "command", "script", "matcher", "package"] as const;
export type NormaliserName = (typeof normaliserNames)[number];

export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** Rules of one type make their keys in one way, so any of them speaks for the type. */
  readonly byType: ReadonlyMap<string, CompiledRule>;
}

export interface CompiledRule {
  readonly type: string;
  readonly at: readonly RuleStep[];
  readonly key: readonly Part[];
  readonly pair: readonly Part[] | undefined;
  readonly position: "beside" | "end";
  readonly single: boolean;
  /** The fields of key and pair, each with every way in which it is read. */
  readonly readings: ReadonlyMap<string, ReadonlySet<NormaliserName | undefined>>;
  /**
   * The fields of an item that hold a path, a command or a matcher. A capture is no field: it stands outside the value.
   */
  readonly normalised: ReadonlyMap<string, NormaliserName>;
  /** The fields of the key's optional parts. */
  readonly mayBeMissing: readonly string[];
}

export type RuleStep =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "capture"; readonly name: string }
  | { readonly kind: "items" };

export interface Part {
  /** In order: the first whose fields are all present counts. */
  readonly alternatives: readonly Alternative[];
  /** Without its fields there is no such part, rather than no key. */
  readonly optional: boolean;
}

export interface Alternative {
  readonly fields: readonly string[];
  readonly normaliser: NormaliserName | undefined;
}

export type CompileResult =
  | { readonly kind: "compiled"; readonly rules: CompiledRules }
  /** `index`: which of the rules; the message shows its text. */
  | { readonly kind: "malformed"; readonly index: number; readonly message: string };
