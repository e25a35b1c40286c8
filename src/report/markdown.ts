import type { PlanDocument } from "../core/plan-document.ts";
import { printable, printableLine } from "./colour.ts";
import { cutAround, inOneLine } from "./difference.ts";
import type { ChangeView, EntryView } from "./entry-view.ts";
import { someChanges } from "./plan-text.ts";
import { type FileView, type PlanViewOptions, planView } from "./plan-view.ts";
import { counted } from "./words.ts";

/** What a page of a pull request may hold: GitHub takes 65,536 characters. */
export const pageLimit = 60_000;

export interface PlanMarkdownOptions extends PlanViewOptions {
  /** Show the lines that change, folded up. */
  readonly diff: boolean;
}

/** A plan as a comment of a pull request: the summary first, then a table a file, as long as there is room. */
export function planMarkdown(document: PlanDocument, options: PlanMarkdownOptions, limit = pageLimit): string {
  const view = planView(document, options);
  const besides = view.besides === "" ? "" : ` ${inMarkdown(view.besides)}`;
  const parts = [`### ${inMarkdown(view.title)}\n\n**${inMarkdown(view.summary)}**${besides}\n`];
  if (view.messages.length > 0) {
    const items = view.messages.map(({ severity, text }) => `- ${severity}: ${inMarkdown(cut(text))}\n`);
    parts.push(`\n${asManyAsFit(items, limit / 3, (more) => `- … and ${more} more\n`)}`);
  }
  let room = limit - 1_000 - parts.join("").length;
  let left = 0;
  for (const file of view.files) {
    const drawn = [
      `\n${fileTable(file, limit / 2)}`,
      options.diff ? foldedDiff("the lines that change", file.diff) : "",
    ];
    const fitting = drawn.join("").length <= room ? drawn.join("") : drawn[0]!.length <= room ? drawn[0]! : undefined;
    if (fitting === undefined) left++;
    else {
      parts.push(fitting);
      room -= fitting.length;
    }
  }
  if (left > 0)
    parts.push(
      `\nThere is no room here for ${counted(left, "more file", "more files")}; \`--format json\` has them all.\n`,
    );
  return parts.join("");
}

/** How many entries of one file are shown; nobody reads more of a table. */
const mostRows = 100;

/** How long a key or a message may be: both may hold whatever a file does. */
const longest = 400;

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

/** `room`: for the rows. A value may hold much, and one file must not be left out because of it. */
function fileTable({ path, note, entries, quiet }: FileView, room: number): string {
  const heading = `${code(path)}${note === "" ? "" : ` (${note})`}\n`;
  const unchanged = quiet === 0 ? "" : `\n${counted(quiet, "more entry is", "more entries are")} unchanged.\n`;
  if (entries.length === 0) return `${heading}${unchanged}`;
  const shown = entries.slice(0, mostRows);
  const rows = shown.map((entry) => `| ${entry.sign} | ${code(cut(entry.key))} | ${outcome(entry)} |\n`);
  const table = asManyAsFit(rows, room, (more) => `| | | … and ${more} more |\n`, entries.length);
  return `${heading}\n| | entry | what happens |\n|---|---|---|\n${table}${unchanged}`;
}

/** The lines that there is room for, and how many more there are. */
function asManyAsFit(
  lines: readonly string[],
  room: number,
  rest: (more: number) => string,
  all = lines.length,
): string {
  let left = room;
  const shown = lines.filter(({ length }) => {
    const fits = length <= left;
    if (fits) left -= length;
    return fits;
  });
  return shown.join("") + (shown.length < all ? rest(all - shown.length) : "");
}

function outcome(view: EntryView): string {
  const word = inMarkdown(view.word);
  const lines = [
    view.waits === "conflict" ? `**${word}**` : word,
    ...(view.when === undefined ? [] : [inMarkdown(view.when)]),
    ...view.notes.map(inMarkdown),
    ...someChanges(view, (change) => [changeLine(change)]),
    ...(view.waits === undefined
      ? []
      : view.answers.slice(0, 1).map(({ effect, command }) => `${inMarkdown(effect)}: ${code(command)}`)),
  ];
  return lines.join("<br>");
}

function changeLine({ field, sides, lines }: ChangeView): string {
  if (lines !== undefined) return inMarkdown(lines);
  const label = field === "" ? "" : `${inMarkdown(field)}: `;
  const cuts = cutAround(
    sides.map(({ value }) => inOneLine(value)),
    longest,
  );
  const texts = sides.map(({ name }, i) => {
    const { left, middle, right } = cuts[i]!;
    return `${name === "" ? "" : `${inMarkdown(name)} `}${code(left + middle + right)}`;
  });
  return label + texts.join(sides[0]?.role === "old" ? " → " : ", ");
}

/** The lines of a diff below a summary that opens them. Nothing in a file can end it. */
export function foldedDiff(summary: string, diff: string): string {
  if (diff === "") return "";
  const fence = "`".repeat(Math.max(2, ...[...diff.matchAll(/`+/g)].map(([ticks]) => ticks.length)) + 1);
  return `<details><summary>${summary}</summary>\n\n${fence}diff\n${clipped(printable(diff))}${fence}\n\n</details>\n`;
}

/** One file may be longer than a whole page. */
export function clipped(text: string): string {
  const limit = pageLimit / 3;
  if (text.length <= limit) return text;
  const end = text.lastIndexOf("\n", limit) + 1 || limit;
  return `${text.slice(0, end)}… and ${counted(text.slice(end).split("\n").length - 1, "more line", "more lines")}\n`;
}

export function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

/**
 * A text in a page that others look at: no markup, mention or line of its own. GitHub looks for people and issues in what
 * is read, outside of code, so that a sign that is only escaped would still call somebody.
 */
export function inMarkdown(text: string): string {
  return escaped(text).replaceAll(/&#(?:64|35);/g, "$&&#8203;");
}

function escaped(text: string): string {
  return printableLine(text).replaceAll(markup, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** What Markdown might read as its own. A `~` before a path and a `_` inside a word are none of it. */
const markup = /[&<>`|*#@[\]\\!]|(?<=\S)~|(?<!\w)_|_(?!\w)/g;
