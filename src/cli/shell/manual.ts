import type { Command, CommandTable, Option, Options } from "./command.ts";
import { commonOptions } from "./common-options.ts";

/** One page of the manual, for `man`. */
export interface ManualPage {
  /** `stet-host-apply`. */
  readonly name: string;
  readonly text: string;
}

const exitStatus: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "done; with --exit-code: nothing to do"],
  ["1", "an error, told in one line; nothing was changed"],
  ["2", "plan and status with --exit-code: an apply would change something"],
  ["3", "with --strict: done, but conflicts or kept edits remain"],
  ["4", "stet host: applied, but a unit did not come up, or was rolled back"],
];

/** A page for the program and one for every command, made of the table of commands alone. */
export async function manualPages(table: CommandTable, version: string): Promise<ManualPage[]> {
  const tops = await Promise.all(Object.entries(table).map(async ([, row]) => loaded(row)));
  const below = await Promise.all(
    tops.flatMap(({ command }) => Object.values(command.commands ?? {}).map(async (row) => loaded(row))),
  );
  const pages = [...tops, ...below].map(({ command, summary }) => commandPage(command, summary, version));
  return [programPage(table, version), ...pages];
}

async function loaded(row: CommandTable[string]): Promise<{ readonly command: Command; readonly summary: string }> {
  return { command: (await row.load()).command, summary: row.summary };
}

function programPage(table: CommandTable, version: string): ManualPage {
  const commands = Object.entries(table).map(([name, { summary }]) => item(bold(name), summary));
  const text = page("stet", "keep configuration current when it has more than one owner", version, [
    section("SYNOPSIS", `${bold("stet")} ${italic("COMMAND")} [options]`),
    section(
      "DESCRIPTION",
      paragraphs(
        "stet keeps configuration current when it has more than one owner, and never loses what a person wrote. Start with stet demo: the story in one minute, on made-up files. Each command has a page of its own (stet-plan, stet-host-apply).",
      ),
    ),
    section("COMMANDS", commands.join("")),
    section("COMMON OPTIONS", optionItems(commonOptions)),
    section("EXIT STATUS", exitStatus.map(([code, meaning]) => item(bold(code), meaning)).join("")),
  ]);
  return { name: "stet", text };
}

function commandPage(command: Command, summary: string, version: string): ManualPage {
  const { name, usage, about, notes, example } = command;
  const own = Object.fromEntries(
    Object.entries(command.options).filter(([each]) => !Object.hasOwn(commonOptions, each)),
  );
  const children = Object.entries(command.commands ?? {}).map(([each, row]) => item(bold(each), row.summary));
  const parent = name.includes(" ") ? [`stet-${name.split(" ")[0]}`] : [];
  const title = `stet-${name.replaceAll(" ", "-")}`;
  const text = page(title, summary, version, [
    section("SYNOPSIS", `${bold(`stet ${name}`)} ${escaped(usage)}`),
    section("DESCRIPTION", paragraphs(about)),
    section("COMMANDS", children.join("")),
    section("OPTIONS", optionSections(own)),
    section("COMMON OPTIONS", optionItems(commonOptions)),
    section("NOTES", notes === undefined ? "" : paragraphs(notes)),
    section("EXAMPLE", `.EX\n${lines(example)}\n.EE\n`),
    section("SEE ALSO", ["stet", ...parent].map((each) => `${bold(each)}(1)`).join(", ")),
  ]);
  return { name: title, text };
}

function page(title: string, summary: string, version: string, sections: readonly string[]): string {
  const head = `.TH ${title.toUpperCase().replaceAll("-", "\\-")} 1 "" "stet ${version}" "stet"\n`;
  return `${head}.SH NAME\n${escaped(title)} \\- ${escaped(summary)}\n${sections.join("")}`;
}

function section(heading: string, body: string): string {
  return body.trim() === "" ? "" : `.SH ${heading}\n${body.trimEnd()}\n`;
}

/** Options under the headings that their help has. */
function optionSections(options: Options): string {
  const headings = [...new Set(Object.values(options).map(({ section: heading = "" }) => heading))].sort((a) =>
    a === "" ? -1 : 0,
  );
  return headings
    .map((heading) => {
      const under = Object.entries(options).filter(([, option]) => (option.section ?? "") === heading);
      const items = optionItems(Object.fromEntries(under));
      return heading === "" || items === "" ? items : `.SS ${escaped(heading)}\n${items}`;
    })
    .join("");
}

function optionItems(options: Options): string {
  return Object.entries(options)
    .flatMap(([name, option]) => (option.help === undefined ? [] : [item(flagText(name, option), option.help)]))
    .join("");
}

function flagText(name: string, { short, value }: Option): string {
  const flags = short === undefined ? bold(`--${name}`) : `${bold(`-${short}`)}, ${bold(`--${name}`)}`;
  return value === undefined ? flags : `${flags} ${italic(value)}`;
}

function item(left: string, right: string): string {
  return `.TP\n${left}\n${lines(right)}\n`;
}

/** As help has it: lines are filled, and what is indented stays as it stands. */
function paragraphs(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((each) => `${lines(each).replaceAll(/^ .*(?:\n .*)*/gm, (indented) => `.nf\n${indented}\n.fi`)}\n`)
    .join(".PP\n");
}

function lines(text: string): string {
  return text.split("\n").map(line).join("\n");
}

/** A line that begins with a dot or a quote would be a request to the formatter. */
function line(text: string): string {
  return escaped(text).replace(/^[.']/, "\\&$&");
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${escaped(text)}\\fR`;
}

/** Signs that the formatter would take for something else, or print as another one. */
function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { "\\": "\\e", "-": "\\-", "~": "\\(ti", "^": "\\(ha", "`": "\\(ga" };
  return text.replaceAll(/[\\~^`-]/g, (sign) => names[sign]!).replaceAll("…", "\\&...");
}
