import { InputError } from "../../core/diagnostic.ts";
import type { Value } from "../../core/value.ts";
import type { Machine } from "../../engine/machine.ts";
import { applyAnswers, type EntryAnswer, planAnswers, type WaitingEntry } from "../../files/decide.ts";
import { storyOf } from "../../files/explain.ts";
import { json } from "../../formats/json/json.ts";
import { briefDiffText, cardLines, helpLines, keyLines } from "../../report/card-text.ts";
import { type Paint, paint, printableLine } from "../../report/colour.ts";
import type { Answer } from "../../report/entry-view.ts";
import { explainText, maskExplanation } from "../../report/explain-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { counted } from "../../report/words.ts";
import { keepFingerprintsHere } from "../files/keep-fingerprints.ts";
import { showSettled } from "../files/show-plan.ts";
import { columnsOf, type Io, tell } from "../shell/io.ts";
import type { Keyboard } from "../shell/keyboard.ts";
import { editCopy } from "../shell/open-editor.ts";
import { type CommonValues, wantsColour } from "../shell/options.ts";

type Given = Pick<EntryAnswer, "answer" | "value"> & { readonly label: string };

/** One walk through what waits. Answers are only remembered until the end. */
export class ReviewWalk {
  #waiting: readonly WaitingEntry[];
  readonly #look: () => Promise<readonly WaitingEntry[]>;
  readonly #machine: Machine;
  readonly #values: CommonValues;
  readonly #io: Io;
  readonly #keyboard: Keyboard;
  readonly #paint: Paint;
  #given = new Map<number, Given>();
  #at = 0;
  /** Where what is shown of a long entry begins, and how much of it there is. */
  #top = 0;
  #shown = { rows: 0, lines: 0, room: 0 };
  /** What a person wrote that could not be used yet: the editor opens on it again. */
  readonly #drafts = new Map<WaitingEntry, string>();

  /** `look`: what waits now, for when a file changed meanwhile. */
  constructor(
    waiting: readonly WaitingEntry[],
    look: () => Promise<readonly WaitingEntry[]>,
    machine: Machine,
    values: CommonValues,
    io: Io,
    keyboard: Keyboard,
  ) {
    this.#waiting = waiting;
    this.#look = look;
    this.#machine = machine;
    this.#values = values;
    this.#io = io;
    this.#keyboard = keyboard;
    this.#paint = paint(wantsColour(values, io));
  }

  /** Asked for anew each time: a window can be resized. */
  get #columns(): number {
    return columnsOf(this.#io);
  }

  async run(): Promise<number> {
    while (true) {
      const entry = this.#waiting[this.#at];
      const ended =
        entry !== undefined ? await this.#ask(entry) : await this.#finish().catch((e) => this.#lookAgain(e));
      if (ended !== undefined) return ended;
    }
  }

  /** Shows one entry until a key that decides about it, or leads elsewhere. */
  async #ask(entry: WaitingEntry): Promise<number | undefined> {
    this.#draw(entry);
    let key = await this.#keyboard.next();
    while (this.#scrolls(key, entry)) key = await this.#keyboard.next();
    const answer = entry.view.answers.find((each) => each.key === key);
    if (answer?.name === "edit") this.#edit(entry);
    else if (answer !== undefined) this.#take({ answer: answer.name, label: answer.label });
    else if (key === "s" || key === "enter") this.#go(this.#at + 1);
    else if (key === "u") this.#undo();
    else if (key === "w") await this.#explain(entry);
    else if (key === "?") this.#help(entry);
    else if (key === "q") return this.#given.size === 0 ? this.#leave(0) : this.#quit();
    else if (key === "ctrl-c" || key === "end") return this.#leave(130);
    return undefined;
  }

  /** Whether a key moves what is shown of a long entry, or means nothing here; then nothing is asked anew. */
  #scrolls(key: string, entry: WaitingEntry): boolean {
    const { lines, room } = this.#shown;
    const steps: Readonly<Record<string, number>> = {
      down: 1,
      j: 1,
      up: -1,
      k: -1,
      space: room - 1,
      "page-down": room - 1,
      b: 1 - room,
      "page-up": 1 - room,
    };
    const step = Object.hasOwn(steps, key) ? steps[key]! : undefined;
    if (step === undefined) {
      const known = ["s", "enter", "u", "w", "?", "q", "ctrl-c", "end", "redraw"];
      return !known.includes(key) && !entry.view.answers.some((each) => each.key === key);
    }
    const to = Math.max(0, Math.min(this.#top + step, lines - room));
    if (to === this.#top) return true;
    this.#top = to;
    // Over what is there: the part of a text that is shown moves, and the terminal does not fill up.
    if (this.#io.env.TERM !== "dumb") this.#io.out(`\u001b[${this.#shown.rows}A\u001b[J`);
    this.#draw(entry);
    return true;
  }

  #draw(entry: WaitingEntry): void {
    const { view, version, machine } = entry;
    const options = { paint: this.#paint, columns: this.#columns, home: this.#machine.home, version };
    const lines = cardLines(view, { ...options, project: machine.project?.root });
    const keys = keyLines(this.#keys(entry), this.#paint, this.#columns);
    const room = Math.max(6, (this.#io.terminal?.rows ?? 24) - keys.length - 5);
    this.#top = Math.max(0, Math.min(this.#top, lines.length - room));
    const rest = lines.length - this.#top - room;
    const given = this.#given.get(this.#at);
    const more = rest > 0 ? `${counted(rest, "more line", "more lines")}: space` : "the end: b goes back";
    const drawn = [
      "",
      this.#paint.dim(
        `${this.#at + 1} of ${this.#waiting.length}${given === undefined ? "" : `, answered: ${given.label}`}`,
      ),
      ...lines.slice(this.#top, this.#top + room),
      ...(lines.length > room ? [this.#paint.dim(more)] : []),
      "",
      ...keys,
    ];
    this.#shown = { rows: drawn.length, lines: lines.length, room };
    this.#print(drawn);
  }

  #keys(entry: WaitingEntry): (readonly [key: string, label: string])[] {
    const answers = usable(entry).map(({ key, label }) => [key, label] as const);
    return [...answers, ["s", "Skip"], ["u", "Undo"], ["w", "Why"], ["?", "Help"], ["q", "Quit"]];
  }

  #help(entry: WaitingEntry): void {
    const answers = usable(entry).map(({ key, label, means }) => [key, `${label}: ${means}`] as const);
    const others = [
      ["s", "Skip: decide later; nothing changes"],
      ["u", "Undo: go back one entry and take its answer back"],
      ["w", "Why: the whole story of this entry"],
      ["j k space b", "scroll a long entry, by line or by page"],
      ["q", "Quit; Ctrl-C writes nothing"],
    ] as const;
    this.#print(["", ...helpLines([...answers, ...others], this.#paint, this.#columns)]);
  }

  #take(given: Given): void {
    this.#given.set(this.#at, given);
    this.#print([this.#paint.green(`→ ${given.label}`)]);
    this.#go(this.#at + 1);
  }

  #go(to: number): void {
    [this.#at, this.#top] = [to, 0];
  }

  #undo(): void {
    const last = Math.max(0, this.#at - 1);
    this.#given.delete(last);
    this.#go(last);
  }

  async #explain({ section, key, owner, machine }: WaitingEntry): Promise<void> {
    const found = await storyOf({ text: `${section}#${key}`, owner }, machine);
    const shown = this.#values["show-secrets"] ? found : found.map(maskExplanation);
    const options = { paint: this.#paint, home: this.#machine.home, columns: this.#columns, program: this.#io.program };
    this.#print(["", ...shown.map((each) => explainText(each, options).trimEnd())]);
  }

  #edit(entry: WaitingEntry): void {
    const { editable, view } = entry;
    if (editable === undefined) return;
    const opened = { text: this.#drafts.get(entry) ?? editable.text, file: editable.name, madeOf: view.key };
    try {
      const copy = this.#keyboard.lend(() => editCopy(opened, this.#io));
      copy.remove();
      this.#drafts.set(entry, copy.text);
      const line = editable.remainingMarker(copy.text);
      if (line !== undefined) this.#say(`line ${line} still has a conflict marker; to go on with your text, press e`);
      else if (copy.text === editable.text) this.#say("you changed nothing in the editor: nothing is decided yet");
      else if (editable.kind === "text") this.#take({ answer: "edit", value: copy.text, label: "as you wrote it" });
      else this.#takeValue(copy.text);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#say(error.message);
    }
  }

  #takeValue(text: string): void {
    const parsed = parsedValue(text);
    if ("problem" in parsed)
      this.#say(`what you wrote is not JSON (${parsed.problem}); to go on with your text, press e`);
    else this.#take({ answer: "edit", value: parsed.value, label: "as you wrote it" });
  }

  #answers(): EntryAnswer[] {
    return [...this.#given].map(([at, { answer, value }]) => {
      const { owner, section, key, seen, machine } = this.#waiting[at]!;
      return { owner, section, key, seen, machine, answer, value };
    });
  }

  /** The end: what will be, and one more question. */
  async #finish(): Promise<number | undefined> {
    if (this.#given.size === 0) return this.#leave(0);
    const plans = await planAnswers(this.#answers());
    const documents = plans.map(({ document }) => (this.#values["show-secrets"] ? document : maskPlan(document)));
    this.#print([
      "",
      this.#paint.bold(`${this.#given.size} decided, ${this.#waiting.length - this.#given.size} left.`),
    ]);
    for (const [at, { label }] of this.#given)
      this.#print([`  ${printableLine(this.#waiting[at]!.view.key)}: ${label}`]);
    for (const { diff } of documents.flatMap(({ files }) => files))
      if (diff !== "") this.#print(briefDiffText(diff, this.#paint, this.#columns, this.#machine.home));
    const keys = [["enter", "Write it"] as const, ["u", "Go back"] as const, ["q", "Write nothing"] as const];
    this.#print(["", ...keyLines(keys, this.#paint, this.#columns)]);
    while (true) {
      const key = await this.#keyboard.next();
      if (key === "enter" || key === "y") return this.#write();
      if (key === "u") return void this.#undo();
      if (key === "q" || key === "n") return this.#leave(0);
      if (key === "ctrl-c" || key === "end") return this.#leave(130);
    }
  }

  /** A file changed since it was shown: what waits now is shown, and answers about what is as it was stay. */
  async #lookAgain(error: unknown): Promise<number | undefined> {
    if (!(error instanceof InputError) || error.diagnostics.some(({ code }) => code !== "file-changed")) throw error;
    this.#say(error.message);
    const named = ({ machine, owner, section, key, seen }: WaitingEntry) =>
      JSON.stringify([machine.stateDir, owner, section, key, seen]);
    const before = new Map([...this.#given].map(([at, given]) => [named(this.#waiting[at]!), given]));
    this.#waiting = await this.#look();
    const kept = this.#waiting.map((entry, at) => [at, before.get(named(entry))] as const);
    this.#given = new Map(kept.flatMap(([at, given]) => (given === undefined ? [] : [[at, given]])));
    this.#go(kept.find(([, given]) => given === undefined)?.[0] ?? this.#waiting.length);
    return undefined;
  }

  async #write(): Promise<number> {
    const plans = await applyAnswers(this.#answers());
    showSettled(plans, this.#values, this.#io, this.#machine.home, "resolve");
    // The last first: a file that owners share then goes back byte by byte.
    const names = [...new Set(plans.map(({ document }) => document.name))].reverse();
    for (const name of names)
      tell(this.#io, `${this.#paint.dim(`to take it back: ${this.#io.program} rollback ${name}`)}\n`);
    await keepFingerprintsHere(plans, this.#values, this.#io);
    return 0;
  }

  /** Answers that are not written yet are not thrown away without a word. */
  async #quit(): Promise<number | undefined> {
    const many = this.#given.size === 1 ? "1 answer is" : `${this.#given.size} answers are`;
    this.#print(["", `${many} not written yet.`]);
    const keys = [["y", "Show and write"] as const, ["n", "Write nothing"] as const, ["c", "Go on"] as const];
    this.#print(keyLines(keys, this.#paint, this.#columns));
    while (true) {
      const key = await this.#keyboard.next();
      if (key === "y") return void this.#go(this.#waiting.length);
      if (key === "n") return this.#leave(0);
      if (key === "c" || key === "escape") return undefined;
      if (key === "ctrl-c" || key === "end") return this.#leave(130);
    }
  }

  #leave(code: number): number {
    this.#print([this.#given.size === 0 && code === 0 ? "Nothing decided, nothing written." : "Nothing was written."]);
    return code;
  }

  #say(message: string): void {
    this.#print([this.#paint.yellow(printableLine(message))]);
  }

  #print(lines: readonly string[]): void {
    tell(this.#io, `${lines.join("\n")}\n`);
  }
}

/** The answers that can be given: not everything can be edited. */
function usable({ view, editable }: WaitingEntry): readonly Answer[] {
  return view.answers.filter(({ name }) => name !== "edit" || editable !== undefined);
}

function parsedValue(text: string): { readonly value: Value } | { readonly problem: string } {
  const read = json.read(text);
  if (read.kind === "malformed") return { problem: read.message };
  const meaning = read.document.meaning();
  return meaning.kind === "value" ? { value: meaning.value } : { problem: "it has no value" };
}
