/**
 * Unit files read a second time, character by character, after what systemd's and podman's own parsers do with each
 * line. Written for the fuzzer only: it shares no code with `src/formats/unit/unit.ts`, and how the real programs read
 * the same is asked in `test/real/host`.
 */
export interface UnitReading {
  readonly sections: readonly { readonly name: string; readonly line: number }[];
  readonly assignments: readonly {
    readonly section: string;
    readonly key: string;
    readonly value: string;
    readonly line: number;
  }[];
  /** The lines that a program complains about. */
  readonly problems: readonly number[];
}

interface Line {
  readonly text: string;
  readonly line: number;
}

export function readUnit(text: string, dialect: "systemd" | "quadlet"): UnitReading {
  const sections: { name: string; line: number }[] = [];
  const assignments: { section: string; key: string; value: string; line: number }[] = [];
  const problems: number[] = [];
  const rules = dialect === "systemd" ? systemd : quadlet;
  for (const { text: written, line } of rules.lines(text)) {
    const name = rules.sectionIn(written);
    const equals = written.indexOf("=");
    const section = sections.at(-1)?.name;
    if (name === "bad") problems.push(line);
    else if (name !== undefined) sections.push({ name: name.is, line });
    else if (equals < 1 || section === undefined) problems.push(line);
    else
      assignments.push({
        section,
        key: rules.strip(written.slice(0, equals)),
        value: rules.strip(written.slice(equals + 1)),
        line,
      });
  }
  return { sections, assignments, problems };
}

interface Rules {
  readonly lines: (text: string) => Line[];
  /** Undefined where the line is no header. */
  readonly sectionIn: (line: string) => { readonly is: string } | "bad" | undefined;
  readonly strip: (text: string) => string;
}

const strippedOf =
  (blanks: (character: string) => boolean) =>
  (text: string): string => {
    const characters = [...text];
    while (characters.length > 0 && blanks(characters[0]!)) characters.shift();
    while (characters.length > 0 && blanks(characters.at(-1)!)) characters.pop();
    return characters.join("");
  };

const systemdStrip = strippedOf((character) => " \t\n\r".includes(character));

const systemd: Rules = {
  strip: systemdStrip,
  sectionIn(line) {
    if (line[0] !== "[") return undefined;
    if (line.at(-1) !== "]" || line.length < 2) return "bad";
    const name = line.slice(1, line.length - 1);
    return [...name].some((character) => character < " " || "\"'\\\x7f".includes(character)) ? "bad" : { is: name };
  },
  lines(text) {
    const found: Line[] = [];
    let markSeen = false;
    let continued: Line | undefined;
    for (const [index, physical] of systemdPhysical(text).entries()) {
      const first = systemdStrip(physical)[0];
      if (first === "#" || first === ";") continue;
      const withMark: boolean = !markSeen && physical[0] === "\ufeff";
      markSeen = markSeen || withMark;
      const line: Line = {
        text: (continued?.text ?? "") + physical.slice(withMark ? 1 : 0),
        line: continued?.line ?? index + 1,
      };
      let escaped = false;
      for (const character of line.text) escaped = !escaped && character === "\\";
      continued = escaped ? { ...line, text: `${line.text.slice(0, -1)} ` } : undefined;
      if (!escaped) found.push(line);
    }
    if (continued !== undefined) found.push(continued);
    return found.map((line) => ({ ...line, text: systemdStrip(line.text) })).filter((line) => line.text !== "");
  },
};

/**
 * A line ends at LF, CR or NUL; those that follow are the same line end as long as none comes twice and no NUL has
 * been.
 */
function systemdPhysical(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (let at = 0; at < text.length; at++) {
    let ending = "";
    while (at < text.length && "\n\r\0".includes(text[at]!) && !ending.includes(text[at]!) && !ending.includes("\0"))
      ending += text[at++];
    if (ending === "") line += text[at];
    else {
      lines.push(line);
      line = "";
      at--;
    }
  }
  return [...lines, line];
}

const quadletStrip = strippedOf((character) =>
  /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/.test(character),
);

const quadlet: Rules = {
  strip: quadletStrip,
  sectionIn(line) {
    const close = line.indexOf("]");
    if (line[0] !== "[" || close < 0 || systemdStrip(line.slice(close + 1)) !== "") return undefined;
    const name = line.slice(1, close);
    return name === "" || [...name].some((character) => character === "[" || /\p{Cc}/u.test(character))
      ? "bad"
      : { is: name };
  },
  lines(text) {
    const physical = (text.at(-1) === "\n" ? text.slice(0, -1) : text).split("\n");
    const found: Line[] = [];
    let remaining = "";
    let begun = 0;
    for (const [index, raw] of physical.entries()) {
      let line = quadletStrip(raw);
      const isNote = line === "" || line[0] === "#" || line[0] === ";";
      if (isNote) continue;
      if (remaining === "") begun = index + 1;
      if (line.at(-1) === "\\") {
        line = line.slice(0, -1);
        if (index !== physical.length - 1) {
          remaining += line;
          continue;
        }
      }
      if (remaining + line !== "") found.push({ text: remaining + line, line: begun });
      remaining = "";
    }
    // Dropped without a word, which is worth one.
    if (remaining !== "") found.push({ text: "", line: begun });
    return found;
  },
};
