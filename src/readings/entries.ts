import { type Diagnostic, InputError, lineAndColumn, type TextPosition } from "../core/diagnostic.ts";
import type { DiagnosticCode } from "../core/diagnostic-codes.ts";
import type { EntryRecord, PlaceRecord } from "../core/records.ts";
import { field, isList, isMap, mapOf, type Value } from "../core/value.ts";
import { groupOf, type ShapeAt } from "../entries/container-tree.ts";
import { containersAfter, entryEdits } from "../entries/entry-edits.ts";
import { asSpelt, nodeAt } from "../entries/entry-paths.ts";
import type { FileDecision, FileDesired, FileRecorded, KnownPlace, Location } from "../entries/file-entry.ts";
import { observeEntries } from "../entries/observe.ts";
import { SingleValues } from "../entries/single-values.ts";
import { type GroupField, type RecordedGroup, templateGroups } from "../entries/template-groups.ts";
import { type Document, type Format, type Malformed, nodeOf, type Path, type Trace } from "../formats/format.ts";
import { tooMany } from "../formats/limits.ts";
import { editVerified } from "../formats/verify/verify.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { fieldInSource, groupShape, numberInSource, ruleOfType } from "../identity/rules/groups.ts";
import {
  completeSource,
  type Identified,
  identify,
  keysFrom,
  keysFromText,
  normaliseValue,
  portableValue,
} from "../identity/rules/identify.ts";
import { parseDottedPath, settingType } from "../identity/rules/keys.ts";
import type { CompiledRule, CompiledRules } from "../identity/rules/rule.ts";
import type { KeyIdentity, Observed, SoughtKey } from "./reading.ts";
import {
  substitute,
  substituteValue,
  type Template,
  type TextTemplate,
  textTemplate,
  type Variables,
} from "./template.ts";
import type { EditedText, TextReading } from "./text-reading.ts";

const harmlessText = /^[\w./:,@%+=~-]*$/;

/** A setting's key without quotes and escapes is its identity. */
const plainSettingKey = new RegExp(`^${settingType}:[^":\\\\]+$`);

interface EntriesSource {
  readonly file: string;
  readonly format: Format;
  /** What templates are written in: not the format of the file where that has several documents. */
  readonly templates: Format;
  readonly rules: CompiledRules;
  readonly context: PathContext;
}

/** A structured file (JSON, YAML, TOML, dotenv), entry by entry. */
export class EntriesReading implements TextReading {
  readonly #file: string;
  readonly #format: Format;
  readonly #templates: Format;
  /** Whether rules name the items of a list at the root. */
  readonly #isList: boolean;
  readonly #rules: CompiledRules;
  readonly #singles: SingleValues;
  readonly #context: PathContext;
  /** What is observed is nearly always what is edited next. */
  #latest: { readonly format: Format; readonly document: Document } | undefined;

  constructor({ file, format, templates, rules, context }: EntriesSource) {
    this.#file = file;
    this.#format = format;
    this.#templates = templates;
    this.#rules = rules;
    this.#singles = new SingleValues(rules);
    this.#context = context;
    this.#isList = rules.rules.some(({ at }) => at[0]?.kind === "items");
  }

  desired(
    source: Template,
    variables: Variables,
    before?: PlaceRecord,
  ): { entries: FileDesired[]; diagnostics: Diagnostic[] } {
    const template = textTemplate(source);
    const meant = substituteValue(
      template.kind === "data" ? template.value : this.#meaning(template.text, template.name),
      variables,
    );
    const value = template.in === undefined ? meant : mapOf([[template.in, meant]]);
    if (!isMap(meant) && !(this.#isList && isList(meant))) {
      const message = `a template must hold a ${this.#isList ? "list" : "map"}`;
      throw new InputError({ code: "malformed-template", message, file: template.name, line: 1, column: 1 });
    }
    const { entries, unidentified } = identify(this.#singles.view(nodeOf(value)), this.#rules, this.#context);
    const [unnamed] = unidentified;
    if (unnamed) {
      const message = `an entry of type ${unnamed.type} at ${unnamed.path.join(".")} has no ${unnamed.missing}, which is part of its key`;
      throw new InputError({
        code: "unidentified-entry",
        message,
        file: template.name,
        ...this.#placeIn(template, unnamed.path),
      });
    }
    const diagnostics = entries.filter((entry) => entry.listWithoutRule).map((entry) => this.#listWithoutRule(entry));
    const writtenIn = this.#writtenIn(template, variables);
    refuseTwins(entries, (entry) => ({ file: template.name, ...this.#placeIn(template, entry.path) }));
    const inGroups = entries.some(({ steps }) => steps.length > 0);
    const groups = templateGroups(entries, value, inGroups ? this.#recordedGroups(before) : [], {
      rules: this.#rules,
      ctx: this.#context,
      nameOf: ({ type, source, path, steps }, depth) => {
        const location = locationOf({ path, isSetting: false }, value);
        return groupOf({ type, source, location: location.slice(0, steps[depth]!.pathIndex + 1) }, this.#shapeAt) ?? "";
      },
    });
    const wanted: FileDesired[] = [];
    for (const entry of entries) {
      const fields = groups.fields.get(entry) ?? [];
      const number = groups.numbers.get(entry);
      const own = this.#desiredEntry(entry, value, { number, order: wanted.length + fields.length, writtenIn });
      for (const field of fields) wanted.push(this.#groupField(field, own, wanted.length));
      wanted.push(own);
    }
    return { entries: wanted, diagnostics };
  }

  /** A group's fields are those on record: the locations of its entries may be older. */
  #recordedGroups(before: PlaceRecord | undefined): RecordedGroup[] {
    const groups = new Map<string, RecordedGroup[]>();
    const fields = new Map<string, [string, Value][]>();
    for (const [key, record] of Object.entries(before?.entries ?? {})) {
      if (record.location?.some((step) => isList(step) && step.length > 0) !== true) continue;
      const { match, pair, type, location, source, group = "", ofGroup, value } = this.recorded(key, record);
      if (ofGroup) fields.set(group, [...(fields.get(group) ?? []), [source[fieldInSource]!, value]]);
      const name = groupOf({ type, location, source: {} }, this.#shapeAt) ?? "";
      const known = { match, pair, name, number: Number(source[numberInSource] ?? 1), extras: {} };
      if (!ofGroup) groups.set(group, [...(groups.get(group) ?? []), known]);
    }
    return [...groups].flatMap(([group, all]) => {
      const extras = mapOf(fields.get(group) ?? []);
      return all.map((each) => ({ ...each, extras }));
    });
  }

  /** A field of the group that an entry is the first of. */
  #groupField({ type, keys, source, depth, name, value }: GroupField, first: FileDesired, order: number): FileDesired {
    let groups = 0;
    const end =
      first.location.findIndex((step) => typeof step !== "string" && step.length > 0 && groups++ === depth) + 1;
    const location: Location = [...first.location.slice(0, end), name];
    const entry = {
      ...keys,
      type,
      joining: "fields",
      value,
      normal: value,
      source,
      position: "beside",
      location,
      written: undefined,
      order,
    } as const;
    return { ...entry, group: groupOf(entry, this.#shapeAt), ofGroup: true };
  }

  /** Where a template says something; nowhere if it is data, or says it by sharing. */
  #placeIn(template: TextTemplate, path: Path): Partial<TextPosition> {
    if (template.kind === "data") return {};
    const { root, text } = this.#read(template.text, template.name, "malformed-template");
    const start = nodeAt(root, template.in === undefined ? path : path.slice(1))?.entryRanges[0]?.start;
    return start === undefined ? {} : lineAndColumn(text, start);
  }

  #listWithoutRule(entry: Identified): Diagnostic {
    const message = `${entry.key} is a list of maps, and no rule tells its items apart, so stet treats it as one value; add a rule to manage its items one by one`;
    return { code: "list-without-rule", severity: "info", message, file: this.#file, key: entry.key };
  }

  #desiredEntry(
    entry: Identified,
    root: Value,
    {
      number,
      order,
      writtenIn,
    }: { number: number | undefined; order: number; writtenIn: (path: Path) => string | undefined },
  ): FileDesired {
    const { key, match, pair, type } = entry;
    const value = entry.node.value();
    const source = number === undefined ? entry.source : { ...entry.source, [numberInSource]: String(number) };
    const location = locationOf({ path: entry.path, isSetting: entry.rule === undefined }, root);
    return {
      key,
      match,
      pair,
      type,
      joining: "fields",
      value,
      normal: this.normalise(type, value),
      source,
      position: entry.rule?.position ?? "beside",
      location,
      written: writtenIn(entry.path),
      order,
      group: entry.steps.length === 0 ? undefined : groupOf({ type, location, source }, this.#shapeAt),
    };
  }

  /** A variable that a shell might expand stays as it is: then this is not the value, and a safe spelling is found. */
  #writtenIn(template: TextTemplate, variables: Variables): (path: Path) => string | undefined {
    if (template.kind === "data") return () => undefined;
    const document = this.#read(template.text, template.name, "malformed-template");
    const harmless = new Map([...variables].filter(([, text]) => harmlessText.test(text)));
    return ([name, ...others]) => {
      const written = typeof name === "string" && others.length === 0 ? document.written(name) : undefined;
      return written === undefined ? undefined : substitute(written, harmless);
    };
  }

  normalise(type: string, value: Value): Value {
    // No rule names a path or a command in a setting, and most entries are settings.
    return type === settingType ? value : normaliseValue(type, value, this.#rules, this.#context);
  }

  hashed(type: string, value: Value): Value {
    return portableValue(type, value, this.#rules, this.#context);
  }

  position(type: string): "beside" | "end" {
    return this.#rules.byType.get(type)?.position ?? "beside";
  }

  identity(key: string): KeyIdentity {
    const keys = keysFromText(key, this.#rules, this.#context);
    return keys.kind === "malformed" ? keys : { kind: "key", match: keys.match };
  }

  recorded(key: string, record: EntryRecord): FileRecorded {
    const type = record.entry_type;
    const isSetting = type === settingType;
    const path = isSetting ? settingPath(key) : undefined;
    const known = record.source ?? (path === undefined ? {} : { path });
    const source = isSetting ? known : completeSource(type, known, record.value, this.#rules);
    const isIdentity = isSetting && record.source === undefined && plainSettingKey.test(key);
    const keys = isIdentity ? undefined : keysFrom(type, source, this.#rules, this.#context);
    const location = (record.location ?? (path === undefined ? [] : pathSegments(path))) as Location;
    return {
      key,
      match: keys?.match ?? key,
      pair: keys?.pair,
      type,
      joining: "fields",
      value: record.value,
      normal: this.normalise(type, record.value),
      source,
      location,
      group: isSetting ? undefined : groupOf({ type, location, source }, this.#shapeAt),
      ofGroup: Object.hasOwn(source, fieldInSource) ? true : undefined,
      written: record.written,
      trace: record.trace as Trace | undefined,
      state: record.state ?? "managed",
      found: record.found && { ...record.found, normal: this.normalise(type, record.found.value) },
      addedIn: record.added_in_version,
      updatedIn: record.last_updated_in_version,
    };
  }

  finds({ entry_type: type, source = {}, location, value }: EntryRecord): boolean {
    if (type === settingType) return true;
    const rule = ruleOfType(type, this.#rules);
    const known = completeSource(type, source, value, this.#rules);
    if (rule === undefined || keysFrom(type, known, this.#rules, this.#context) === undefined) return false;
    if (location === undefined) return true;
    // The field of a group stands before the end of the rule's way.
    const ofGroup = Object.hasOwn(source, fieldInSource);
    return leadsAlong(ofGroup ? rule.at.slice(0, location.length - 1) : rule.at, location, ofGroup);
  }

  observe(text: string | undefined, sought: SoughtKey): Omit<Observed, "content"> {
    const { root } = this.#read(text ?? this.#empty(), this.#file, "malformed-target");
    const isEmpty = root.kind === "map" && root.names().length === 0;
    if (root.kind !== (this.#isList ? "list" : "map") && !(this.#isList && isEmpty)) {
      const message = `this file holds a ${root.kind}, not a ${this.#isList ? "list" : "map"}, so stet leaves it alone; move it away, or take it out of the manifest`;
      throw new InputError({ code: "wrong-root", message, file: this.#file, line: 1, column: 1 });
    }
    const isNullEmpty = this.#format.name === "yaml";
    const reading = {
      rules: this.#rules,
      context: this.#context,
      shapeAt: this.#shapeAt,
      isNullEmpty,
      normaliser: this,
    };
    return { text, ...observeEntries(this.#singles.view(root), sought, reading) };
  }

  edit(observed: Pick<Observed, "text">, decisions: readonly FileDecision[], known: KnownPlace): EditedText {
    const document = this.#read(observed.text ?? this.#empty(), this.#file, "malformed-target");
    const view = { ...document, root: this.#singles.view(document.root) };
    const planned = entryEdits(view, decisions, known, this.#shapeAt);
    if (planned.edits.length === 0) {
      const nothing = { traces: new Map<number, Trace>(), inners: new Map<number, string>() };
      return {
        text: observed.text,
        containers: containersAfter(planned, nothing, known, decisions),
        traces: new Map(),
      };
    }
    const translated = this.#singles.translate(document, planned.edits, known.containers);
    const result = editVerified(
      this.#format,
      document,
      asSpelt(
        translated.edits.map(({ edit }) => edit),
        document.root,
      ),
    );
    if (result.kind === "refused") {
      const place = lineAndColumn(document.text, result.offset);
      throw new InputError({
        code: "edit-refused",
        message: `${result.message}; nothing was written`,
        file: this.#file,
        ...place,
      });
    }
    const traces = new Map<string, Trace>();
    const byPosition = <T>(made: ReadonlyMap<number, T>) =>
      new Map([...made].map(([at, each]) => [translated.edits[at]!.position, each] as const));
    const made = { traces: byPosition(result.traces), inners: byPosition(result.inners) };
    for (const [index, trace] of made.traces) {
      const key = planned.insertions.get(index)?.entry?.key ?? planned.replacements.get(index);
      if (key !== undefined) traces.set(key, trace);
    }
    const containers = containersAfter(planned, made, known, decisions);
    for (const [name, record] of translated.containers) {
      if (record === undefined) delete containers[name];
      else containers[name] = record;
    }
    return { text: known.created && this.#isEmpty(result.text) ? undefined : result.text, containers, traces };
  }

  #isEmpty(text: string): boolean {
    const { root } = this.#read(text, this.#file, "malformed-target");
    return root.comments().length === 0 && text.trim() === this.#empty().trim();
  }

  /** What a new file starts from. */
  #empty(): string {
    return this.#isList && this.#format.name === "json" ? "[]\n" : this.#format.empty;
  }

  readonly #shapeAt: ShapeAt = ({ type }, depth) => {
    const rule = ruleOfType(type, this.#rules);
    return (group) => (rule ? groupShape(rule, depth, group, { rules: this.#rules, ctx: this.#context }) : undefined);
  };

  /** What a template says: a pack's author may let maps share what they have in common. */
  #meaning(text: string, file: string): Value {
    // Unlike a target, a template is read as a whole.
    const refused = tooMany(text, this.#format.name);
    const result = refused ?? this.#read(text, file, "malformed-template").meaning();
    if (result.kind === "value") return result.value;
    throw malformed(result, text, file, "malformed-template");
  }

  #read(text: string, file: string, code: DiagnosticCode): Document {
    const format = code === "malformed-template" ? this.#templates : this.#format;
    if (this.#latest?.document.text === text && this.#latest.format === format) return this.#latest.document;
    const result = format.read(text);
    if (result.kind === "malformed") throw malformed(result, text, file, code);
    this.#latest = { format, document: result.document };
    return result.document;
  }
}

function malformed({ message, offset }: Malformed, text: string, file: string, code: DiagnosticCode): InputError {
  const marker = /^<{7}(?: |$)/m.exec(text);
  if (marker) {
    const message = "Git left conflict markers here; settle that conflict first";
    return new InputError({ code, message, file, ...lineAndColumn(text, marker.index) });
  }
  return new InputError({ code, message, file, ...lineAndColumn(text, offset) });
}

/** Two entries under one key: the template is wrong. Settings stand in maps, where no name is twice. */
function refuseTwins(entries: readonly Identified[], placeOf: (entry: Identified) => Pick<Diagnostic, "file">): void {
  const seen = new Map<string, Identified>();
  for (const entry of entries) {
    if (entry.rule === undefined) continue;
    const twin = seen.get(entry.match);
    if (twin) {
      const message = `two entries have one key: ${twin.key} at ${twin.path.join(".")} and ${entry.key} at ${entry.path.join(".")}`;
      throw new InputError({ code: "duplicate-key", message, ...placeOf(entry), key: entry.key });
    }
    seen.set(entry.match, entry);
  }
}

/** A group's own fields are all of its fields but the list that leads on to the entry. */
function locationOf(entry: { readonly path: Path; readonly isSetting: boolean }, root: Value): Location {
  // A setting stands in maps only.
  if (entry.isSetting) return entry.path as readonly string[];
  const location: (string | readonly [] | readonly [ReturnType<typeof mapOf>])[] = [];
  let at: Value | undefined = root;
  entry.path.forEach((step, i) => {
    at = typeof step === "string" ? field(at, step) : (at as readonly Value[] | undefined)?.[step];
    if (typeof step === "string") location.push(step);
    else if (i === entry.path.length - 1) location.push([]);
    else {
      const next = entry.path[i + 1];
      location.push([mapOf(isMap(at) ? Object.entries(at).filter(([name]) => name !== next) : [])]);
    }
  });
  return location;
}

/** Whether a rule's way is the one on which an entry was put where it is. */
function leadsAlong(at: CompiledRule["at"], location: readonly Value[], ofGroup: boolean): boolean {
  if (at.length !== location.length - (ofGroup ? 1 : 0)) return false;
  return at.every((step, i) => {
    const name = location[i]!;
    return step.kind === "items" ? isList(name) : step.kind === "capture" || step.name === name;
  });
}

/** The dotted path in a setting's key, which its record leaves out. */
function settingPath(key: string): string {
  const path = key.slice(settingType.length + 1);
  return path.includes("\\") ? path.replace(/\\([:\\])/g, "$1") : path;
}

function pathSegments(path: string): readonly string[] {
  if (!path.includes('"')) return path.split(".");
  const parsed = parseDottedPath(path);
  return parsed.kind === "path" ? parsed.segments.map((segment) => segment.text) : [];
}
