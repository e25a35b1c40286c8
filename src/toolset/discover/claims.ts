import type { Diagnostic } from "../../core/diagnostic.ts";
import type { Actual, Desired, Recorded } from "../../core/entry.ts";
import { addTo } from "../../core/lists.ts";
import { type Decision, planPlace } from "../../core/plan.ts";
import { mapOf, type Value } from "../../core/value.ts";
import type { OverrideTool } from "../overrides.ts";
import { byText, type DiscoveredTool, refText, toolKey } from "../tool.ts";
import type { Discovery, UnusedService } from "./discover.ts";

/** A name that stays with a Service that is not there: an override was written for it, or it is only unwell. */
export interface KeptClaim {
  readonly name: string;
  /** `namespace/name`. */
  readonly service: string;
  /** Who wants the name now; undefined: nobody. */
  readonly claimant: Discovery | undefined;
}

export interface NamingInput {
  /** Sorted by namespace and name. */
  readonly discoveries: readonly Discovery[];
  /** Services that would claim a name if they were well: they count when it is asked whose an override is. */
  readonly waiting: readonly Discovery[];
  /** Which Service (`namespace/name`) had which name last time. */
  readonly record: ReadonlyMap<string, string>;
  readonly overrides: ReadonlyMap<string, OverrideTool>;
}

export interface Naming {
  readonly tools: readonly DiscoveredTool[];
  readonly kept: readonly KeptClaim[];
  /** Services that did not get the name their annotation asks for. */
  readonly renamed: readonly UnusedService[];
  /** Names whose override could belong to more than one Service: it applies to none of them. */
  readonly unsettled: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Give every discovery its name. A Service keeps the name it had. A name with an override stays with the Service the
 * override was written for: nobody else gets it, and with it the credentials in the override, until `service:` says so.
 * Otherwise the first Service, by namespace and name, gets the plain name, and others a suffix that says which Service
 * they are.
 */
export function nameTools(input: NamingInput): Naming {
  const book = new NameBook(input);
  book.settle();
  book.keepRecorded();
  book.decide();
  book.addSuffixes();
  return book.naming();
}

/** Who has which name, filled in step by step: whoever has a name keeps it in the steps that follow. */
class NameBook {
  readonly #input: NamingInput;
  readonly #names = new Map<Discovery, string>();
  readonly #taken = new Set<string>();
  readonly #kept: KeptClaim[] = [];
  readonly #unsettled = new Set<string>();
  readonly #diagnostics: Diagnostic[] = [];

  constructor(input: NamingInput) {
    this.#input = input;
  }

  /** First, what the user says. */
  settle(): void {
    const byService = new Map(this.#input.discoveries.map((discovery) => [refText(discovery.source), discovery]));
    for (const [name, service] of settledNames(this.#input, byService, this.#diagnostics)) {
      const discovery = byService.get(service);
      if (discovery && !this.#names.has(discovery)) this.#give(discovery, name);
      this.#taken.add(name);
    }
  }

  /** Then, what was so last time. The name of a Service that is not well waits for it. */
  keepRecorded(): void {
    const { discoveries, waiting, record } = this.#input;
    for (const discovery of discoveries) {
      const name = recordedName(discovery, record);
      if (name !== undefined && !this.#names.has(discovery) && !this.#taken.has(name)) this.#give(discovery, name);
    }
    for (const discovery of waiting) {
      const name = recordedName(discovery, record);
      if (name === undefined || this.#taken.has(name)) continue;
      this.#taken.add(name);
      this.#kept.push({ name, service: refText(discovery.source), claimant: undefined });
    }
  }

  /** Then, by the decision table, the names that are free, or whose Service is gone. */
  decide(): void {
    for (const question of decideNames(this.#names, this.#taken, this.#input)) {
      const { name, decision, claimants } = question;
      const [first] = claimants;
      if (goesToClaimant(decision) && first !== undefined && !this.#names.has(first)) this.#give(first, name);
      else this.#withhold(question);
    }
  }

  #withhold(question: NameQuestion): void {
    const { name, claimants } = question;
    const [first] = claimants;
    const service = this.#input.record.get(name);
    this.#taken.add(name);
    if (service === undefined) {
      this.#unsettled.add(name);
      this.#diagnostics.push(tellUnsettled(question));
      return;
    }
    this.#kept.push({ name, service, claimant: first });
    if (first) this.#diagnostics.push(tellChanged(name, service, first));
  }

  /** All others have a name that says which Service they are. */
  addSuffixes(): void {
    for (const discovery of this.#input.discoveries) {
      if (!this.#names.has(discovery)) this.#give(discovery, freeName(discovery, this.#taken));
    }
  }

  naming(): Naming {
    const { discoveries } = this.#input;
    const tools = discoveries.map((discovery) => {
      const { kind, fields, source } = discovery;
      return { name: this.#names.get(discovery)!, kind, fields, source };
    });
    const renamed = discoveries.flatMap((discovery) => tellRenamed(discovery, this.#names.get(discovery)!));
    return { tools, kept: this.#kept, unsettled: this.#unsettled, renamed, diagnostics: this.#diagnostics };
  }

  #give(discovery: Discovery, name: string): void {
    this.#names.set(discovery, name);
    this.#taken.add(name);
  }
}

/** What overrides say with `service:`. */
function settledNames(
  { overrides }: NamingInput,
  byService: ReadonlyMap<string, Discovery>,
  diagnostics: Diagnostic[],
): Map<string, string> {
  const settled = new Map<string, string>();
  const namedBy = new Map<string, string>();
  for (const { name, service } of overrides.values()) {
    if (service === undefined) continue;
    settled.set(name, service);
    const other = namedBy.get(service);
    if (other !== undefined) {
      const message = `the overrides '${other}' and '${name}' both name Service ${service}; the first one gets it`;
      diagnostics.push({ code: "doubled-override", severity: "warning", message });
    } else if (!byService.has(service)) {
      const message = `the override '${name}' names Service ${service}, which is not discovered`;
      diagnostics.push({ code: "incomplete-tool", severity: "info", message });
    }
    namedBy.set(service, other ?? name);
  }
  return settled;
}

/** The name it had, or that another door to the same thing had. */
function recordedName(discovery: Discovery, record: NamingInput["record"]): string | undefined {
  const own = [refText(discovery.source), ...discovery.standsFor];
  return [discovery.wantedName, suffixed(discovery)].find((name) => own.includes(record.get(name) ?? ""));
}

/** A name that somebody wants or had, and what becomes of it. */
interface NameQuestion {
  readonly name: string;
  /** Who wants it, in order. */
  readonly claimants: readonly Discovery[];
  /** How many Services it could belong to, those that are not well among them. */
  readonly rivals: readonly string[];
  readonly decision: Decision<Desired, Actual, Recorded>;
}

/**
 * The decision table all domains share, about names: discovery wants a name for a Service (desired), `toolset.yaml`
 * says who had it (recorded), and an override is the user's edit of what was recorded (actual).
 */
function decideNames(
  named: ReadonlyMap<Discovery, string>,
  taken: ReadonlySet<string>,
  input: NamingInput,
): NameQuestion[] {
  const { record, overrides } = input;
  const claimants = new Map<string, Discovery[]>();
  for (const discovery of input.discoveries) {
    const { wantedName } = discovery;
    // One that has a name of its own leaves this one to others, but still makes it doubtful whose an override is.
    if (taken.has(wantedName) || (named.has(discovery) && !overrides.has(wantedName))) continue;
    addTo(claimants, wantedName, discovery);
  }
  const kept = [...record.keys()].filter((name) => overrides.has(name));
  const names = [...new Set([...claimants.keys(), ...kept])].filter((name) => !taken.has(name)).sort(byText);
  const rivals = rivalsByName(input);
  const asked = names.map((name) => ({
    name,
    claimants: claimants.get(name) ?? [],
    rivals: [...(rivals.get(name) ?? [])].sort(byText),
  }));
  const isPlain = ({ name, rivals: all }: (typeof asked)[number]): boolean =>
    all.length <= 1 || typeof overrides.get(name)?.fields.endpoint === "string";
  const decide = (some: typeof asked, whenPresent: "adopt" | "keep"): NameQuestion[] => {
    const recorded = some.flatMap(({ name }) => entryOf(name, record.get(name)) ?? []);
    const desired = some.flatMap(({ name, claimants: [first] }) => entryOf(name, first && refText(first.source)) ?? []);
    const actual = some.flatMap(({ name }) => {
      const service = record.get(name);
      return overrides.has(name)
        ? entry(name, mapOf([["overridden", service ?? null]]))
        : (entryOf(name, service) ?? []);
    });
    const policies = [{ match: "*", whenPresent }];
    const decisions = planPlace({ desired, actual, recorded, claims: [], moves: [], policies, prune: true });
    const byName = new Map(decisions.map((decision) => [(decision.desired ?? decision.recorded)!.match, decision]));
    return some.flatMap((each) => {
      const decision = byName.get(each.name);
      return decision === undefined ? [] : [{ ...each, decision }];
    });
  };
  return [
    ...decide(asked.filter(isPlain), "adopt"),
    ...decide(
      asked.filter((each) => !isPlain(each)),
      "keep",
    ),
  ];
}

/** Every Service that a name could mean: who wants it, and whose suffixed name it is. */
function rivalsByName({ discoveries, waiting }: NamingInput): Map<string, Set<string>> {
  const rivals = new Map<string, Set<string>>();
  for (const discovery of [...discoveries, ...waiting]) {
    for (const name of [discovery.wantedName, suffixed(discovery)]) {
      const some = rivals.get(name) ?? new Set();
      rivals.set(name, some.add(refText(discovery.source)));
    }
  }
  return rivals;
}

function goesToClaimant({ outcome }: Decision<Desired, Actual, Recorded>): boolean {
  return outcome.verdict !== "conflict" && outcome.verdict !== "keep";
}

function entryOf(name: string, service: string | undefined): NameEntry | undefined {
  return service === undefined ? undefined : entry(name, service);
}

type NameEntry = Desired & Actual & Recorded;

function entry(name: string, value: Value): NameEntry {
  const key = toolKey(name);
  const rest = { pair: undefined, comments: [], state: "managed", addedIn: "", updatedIn: "" } as const;
  return { key, match: name, type: "tool", joining: "whole", value, normal: value, ...rest };
}

function freeName(discovery: Discovery, taken: ReadonlySet<string>): string {
  let name = suffixed(discovery);
  // Only an annotation that spells out another Service's suffixed name can get in the way here.
  for (let count = 2; taken.has(name); count++) name = `${suffixed(discovery)}_${count}`;
  return name;
}

/** Neither namespaces nor Services contain an underscore, so no two Services share a suffix. */
function suffixed({ wantedName, source }: Discovery): string {
  return `${wantedName}_${source.namespace}_${source.name}`;
}

function tellUnsettled({ name, rivals }: NameQuestion): Diagnostic {
  const message = `the override '${name}' could be for ${rivals.join(" or ")}; it applies to none of them until it says which: add 'service: ${rivals.at(-1)}'`;
  return { code: "ambiguous-override", severity: "warning", message, key: toolKey(name) };
}

function tellChanged(name: string, service: string, { source }: Discovery): Diagnostic {
  const message = `the override '${name}' was written for Service ${service}, which is gone; ${refText(source)} now claims the name, but the old endpoint stays until the override says 'service: ${refText(source)}'`;
  return { code: "changed-claimant", severity: "warning", message, key: toolKey(name) };
}

/** Only what was asked for by name can be missed; the second of a type has a suffix as a matter of course. */
function tellRenamed({ source, wantedName, isNamed }: Discovery, name: string): UnusedService[] {
  if (!isNamed || name === wantedName) return [];
  return [
    { source, reason: "name-taken", why: `asks for the name '${wantedName}', which another has; it is '${name}'` },
  ];
}
