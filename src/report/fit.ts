/** What a line holds where nobody knows better. Wider terminals get the same report; narrower ones get one that fits. */
export const usualColumns = 80;

/** Nothing can be laid out in less. */
export const fewestColumns = 40;

/** Words that begin a command. Somebody will copy it, so it stays on one line. */
const commandWords =
  "git|npm|npx|node|chmod|chown|rm|mv|ls|cat|kubectl|podman|systemctl|journalctl|loginctl|sudo|export";

/**
 * The text of a report in lines that fit. Lines that do not are broken at blanks, and go on below where their text
 * began. Only single words and commands to copy may be wider.
 */
export function fitted(text: string, columns: number, program = "stet"): string {
  const commands = new RegExp(
    `(?<=(?:(?<!^usage): |^ *(?:\\$ )?)${escapes})(?:${literally(program)}|${commandWords}) .*?(?=; |, or | \\(or | {2}|$)`,
    "g",
  );
  return text
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= columns ? [line] : brokenLine(line, columns, commands)))
    .join("\n");
}

const escapes = "(?:\u001b\\[\\d+m)*";
const escapeCodes = /\u001b\[\d+m/g;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

/** How many columns of a terminal a line takes. */
export function displayWidth(line: string): number {
  const seen = line.includes("\u001b") ? line.replaceAll(escapeCodes, "") : line;
  if (/^[\x20-\x7e]*$/.test(seen)) return seen.length;
  return [...seen.replaceAll(/\p{M}/gu, "")].length + (seen.match(wide)?.length ?? 0);
}

/** Lines of a file in at most so many characters, broken at blanks where there are any. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const blank = rest.lastIndexOf(" ", columns);
    const at = blank > columns / 2 ? blank : columns;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

function literally(text: string): string {
  return text.replaceAll(/[^\w\s]/g, "\\$&");
}

/** Stands for the blanks of a command while its line is broken. */
const held = "\u0000";

function brokenLine(line: string, columns: number, commands: RegExp): string[] {
  const most = Math.floor(columns * 0.4);
  const [blanks] = /^ */.exec(line)!;
  const indent = blanks.length > most ? 4 : blanks.length;
  const whole = (words: string) => words.replaceAll(" ", held);
  const text = line
    .slice(blanks.length)
    .replaceAll(commands, whole)
    .replaceAll(/\(or --\S+\)/g, whole);
  const parts = text.split(/ {2,}/);
  const gaps = text.match(/ {2,}/g) ?? [];
  const second = indent + displayWidth(text) - displayWidth(text.slice(parts[0]!.length).trimStart());
  const hang = parts.length > 1 && second <= most ? second : indent + hangOf(parts);
  const lines: string[] = [];
  let [current, used] = [" ".repeat(indent), indent];
  const take = (gap: number, word: string) => {
    current += " ".repeat(gap) + word;
    used += gap + displayWidth(word);
  };
  const next = () => {
    lines.push(current);
    [current, used] = [" ".repeat(hang), hang];
  };
  for (const [at, part] of parts.entries()) {
    const gap = gaps[at - 1]?.length ?? 0;
    const room = columns - used - gap;
    // A column that does not fit goes below whole, unless most of the line is free.
    if (at > 0 && displayWidth(part) > room && room < columns - most) next();
    for (const [i, word] of part.split(" ").entries()) {
      const before = current.trim() === "" ? 0 : i === 0 ? gap : 1;
      // A sign stays with its word, also where that would not fit on any line.
      const stays = isSign(current) && displayWidth(word) > columns - hang;
      if (used + before + displayWidth(word) > columns && current.trim() !== "" && !stays) {
        next();
        take(0, word);
      } else take(before, word);
    }
  }
  return [...lines, current].map((each) => each.replaceAll(held, " ").trimEnd());
}

function isSign(text: string): boolean {
  return /^[^\w\s"'~/<(]$/.test(text.replaceAll(escapeCodes, "").trim());
}

/** How much further in a line goes on: below the text behind a sign, behind a `word:` or columns a little, else not. */
function hangOf(parts: readonly string[]): number {
  const first = parts[0]!.replaceAll(escapeCodes, "");
  if (/^[^\w\s"'~/<(] /.test(first)) return 4;
  return parts.length > 1 || /^[\w-]+: /.test(first) ? 2 : 0;
}
