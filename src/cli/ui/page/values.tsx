import { useState } from "preact/hooks";

interface Side {
  name: string;
  value: unknown;
  role: string;
}
export interface ValueChange {
  field: string;
  sides: Side[];
  lines?: string;
}

/** Of maps only the fields that differ, of anything else the whole; what all agree about is told once. */
export function differences(sides: Side[]): ValueChange[] {
  const differ = (values: unknown[]) => new Set(values.map((value) => JSON.stringify(value))).size > 1;
  const values = sides.map(({ value }) => value);
  if (!differ(values)) return [{ field: "", sides: [{ name: "value", value: values[0], role: "" }] }];
  if (!values.every(isMap)) return [{ field: "", sides }];
  return [...new Set(values.flatMap(Object.keys))]
    .filter((name) => differ(values.map((value) => value[name])))
    .map((field) => ({ field, sides: sides.map((side, i) => ({ ...side, value: values[i]![field] })) }));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One value as each side has it; long ones cut around where they differ. */
export function Change({ change }: { change: ValueChange }) {
  const [all, setAll] = useState(false);
  const whole = change.sides.map(({ value }) => shown(value));
  const { before, behind } = all ? { before: 0, behind: 0 } : inCommon(whole);
  const texts = whole.map(
    (text) => `${before > 0 ? "…" : ""}${text.slice(before, text.length - behind)}${behind > 0 ? "…" : ""}`,
  );
  return (
    <>
      {change.field !== "" && <div class="quiet">{change.field}</div>}
      {change.lines !== undefined && <p>{change.lines}</p>}
      <div class="sides">
        {change.sides.map(({ name, role }, i) => (
          <div class={`side ${role}`}>
            <div class="name">{name}</div>
            <pre tabIndex={0}>
              <Marked text={texts[i]!} beside={texts[i === 0 ? 1 : 0] ?? ""} />
            </pre>
          </div>
        ))}
      </div>
      {before + behind > 0 && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          Show all of it
        </button>
      )}
    </>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

function isWord(sign: string | undefined): boolean {
  return sign !== undefined && /[\p{L}\p{N}_]/u.test(sign);
}

/** A text with the words marked in which it differs from another. */
function Marked({ text, beside }: { text: string; beside: string }) {
  let start = 0;
  while (start < text.length && text[start] === beside[start]) start++;
  let end = 0;
  while (
    end < text.length - start &&
    end < beside.length - start &&
    text[text.length - 1 - end] === beside[beside.length - 1 - end]
  )
    end++;
  // Half a word that happens to be the same tells nobody anything.
  while (start > 0 && isWord(text[start - 1]) && (isWord(text[start]) || isWord(beside[start]))) start--;
  const isWordBehind = () => isWord(text[text.length - 1 - end]) || isWord(beside[beside.length - 1 - end]);
  while (end > 0 && isWord(text[text.length - end]) && isWordBehind()) end--;
  const middle = text.slice(start, text.length - end);
  // Where all of it differs, there is nothing to point at.
  if (text === beside || middle === "" || middle === text) return <>{text}</>;
  return (
    <>
      {text.slice(0, start)}
      <mark>{middle}</mark>
      {text.slice(text.length - end)}
    </>
  );
}

/** More than this of what all sides have in common is left out. */
const mostInCommon = 120;

/**
 * How much long texts have in common before and behind where they differ, less a little to read around it. Zero where
 * that is not much.
 */
function inCommon(texts: readonly string[]): { readonly before: number; readonly behind: number } {
  const [first = "", ...others] = texts;
  const shortest = Math.min(...texts.map((text) => text.length));
  let before = 0;
  while (before < shortest && others.every((text) => text[before] === first[before])) before++;
  let behind = 0;
  const last = (text: string) => text[text.length - 1 - behind];
  while (behind < shortest - before && others.every((text) => last(text) === last(first))) behind++;
  const less = (count: number) => (count > mostInCommon ? count - mostInCommon / 2 : 0);
  return others.length === 0 ? { before: 0, behind: 0 } : { before: less(before), behind: less(behind) };
}
