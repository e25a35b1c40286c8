/** How strings are spelled so that no reader, of YAML 1.1 or 1.2, takes them for anything else. */

export type Quote = "'" | '"';

export interface StringStyle {
  readonly quote: Quote;
  /** Whether a string gets quotes that needs none, because its siblings have them. */
  readonly always: boolean;
  /** Inside brackets more characters have a meaning. */
  readonly flow: boolean;
}

export function spellString(text: string, { quote, always, flow }: StringStyle): string {
  if (!always && isSafePlain(text, flow)) return text;
  return quote === "'" && isPrintable(text) ? `'${text.replaceAll("'", "''")}'` : doubleQuoted(text);
}

function isSafePlain(text: string, flow: boolean): boolean {
  if (text === "" || text.trim() !== text || !isPrintable(text) || isAmbiguous(text)) return false;
  if (!/^(?:[^-?:,[\]{}#&*!|>'"%@`=<]|-[-A-Za-z/])/u.test(text) || text.startsWith("---") || text.startsWith("..."))
    return false;
  if (/:(?:\s|$)|\s#/.test(text)) return false;
  return !flow || !/[,[\]{}:?#]/.test(text);
}

/** No line breaks, no tabs, nothing that YAML wants escaped. */
function isPrintable(text: string): boolean {
  return !unprintable.test(text) && !loneSurrogate.test(text);
}

const unprintable = /[\u0000-\u001f\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/;
const loneSurrogate = /\p{Surrogate}/u;

/** Words and numbers by any version's rules: booleans and null, binary, octal and sexagesimal numbers, dates. */
function isAmbiguous(text: string): boolean {
  return (
    /^(?:~|null|true|false|yes|no|on|off|y|n|<<|=)$/i.test(text) ||
    /^[-+]?\.(?:inf|nan)$/i.test(text) ||
    /^[-+]?[0-9][0-9_]*$/.test(text) ||
    /^[-+]?0(?:b[01_]+|o[0-7_]+|x[0-9a-f_]+)$/i.test(text) ||
    /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:e[-+]?[0-9]+)?$/i.test(text) ||
    /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text) ||
    /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s].*)?$/.test(text)
  );
}

/** JSON's escapes are YAML's; a few characters more need one. */
function doubleQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a text of several lines can stand as a literal block, line by line, and come out the same. */
export function fitsLiteral(text: string): boolean {
  if (
    !text.includes("\n") ||
    text.endsWith("\n\n") ||
    loneSurrogate.test(text) ||
    unprintable.test(text.replaceAll("\n", ""))
  )
    return false;
  const lines = text.split("\n");
  if (lines[0] === "" || lines[0]!.startsWith(" ")) return false;
  return lines.every((line) => line === "" || line.trim() !== "");
}
