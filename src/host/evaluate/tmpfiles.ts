import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import type { EvaluatedFile, Layout } from "./evaluation.ts";

/** A line of a service's tmpfiles.d file: a stricter mode or an owner for files that the service delivers. */
interface Line {
  readonly matches: (path: string) => boolean;
  readonly mode: number | undefined;
  readonly setsOwner: boolean;
  readonly line: number;
}

/**
 * The modes that a service's own tmpfiles.d file asks for, put on its payload. systemd-tmpfiles reads the same lines at
 * every boot.
 */
export function applyTmpfiles(
  files: readonly EvaluatedFile[],
  tmpfiles: EvaluatedFile,
  { service, layout }: { readonly service: string; readonly layout: Layout },
  diagnostics: HostDiagnostic[],
): EvaluatedFile[] {
  const source = tmpfiles.origin.at(-1)!;
  const complain: Complain = (line, message) =>
    diagnostics.push(diagnose("invalid-tmpfiles", { file: source, line }, message));
  const lines = readLines(tmpfiles, `/etc/${service}/`, complain);
  // Lines are about /etc, also where that is a user's folder for configuration.
  const asWritten = (path: string) => `/etc${path.slice(layout.configFolder.length)}`;
  for (const { matches, line } of lines)
    if (!files.some(({ path }) => matches(asWritten(path))))
      diagnostics.push(
        diagnose("missing-reference", { file: source, line }, "names no file that the service delivers"),
      );
  return files.map((file) => {
    const mode = lines.findLast((line) => line.mode !== undefined && line.matches(asWritten(file.path)))?.mode;
    if (mode === undefined || file.content.kind === "symlink") return file;
    return { ...file, content: { ...file.content, mode } };
  });
}

/** Whether a tmpfiles.d file gives a file to somebody: then systemd-tmpfiles has to be run. */
export function setsOwner(tmpfiles: EvaluatedFile): boolean {
  return readLines(tmpfiles, "", () => {}).some((line) => line.setsOwner);
}

type Complain = (line: number, message: string) => void;

function readLines({ content }: EvaluatedFile, folder: string, complain: Complain): Line[] {
  if (content.kind === "symlink") return [];
  const text = Buffer.from(content.bytes).toString("utf8");
  return text.split("\n").flatMap((written, index): Line[] => {
    const line = written.trim();
    if (line === "" || line.startsWith("#")) return [];
    const [type = "", path = "", mode = "-", user = "-", group = "-", ...rest] = line.split(/\s+/);
    const wrong = whatIsWrong({ type, path, mode, user, group, rest, folder });
    if (wrong !== undefined) {
      complain(index + 1, wrong);
      return [];
    }
    const number = mode === "-" ? undefined : Number.parseInt(mode, 8);
    return [{ matches: matcher(type, path), mode: number, setsOwner: user !== "-" || group !== "-", line: index + 1 }];
  });
}

interface Fields {
  readonly type: string;
  readonly path: string;
  readonly mode: string;
  readonly user: string;
  readonly group: string;
  readonly rest: readonly string[];
  readonly folder: string;
}

const [octal, name] = [/^[0-7]{3,4}$/, /^(-|[a-z_][a-z0-9_-]*|\d+)$/];

/** tmpfiles.d could do anything anywhere. A service says with it how its own files are protected, and nothing else. */
function whatIsWrong({ type, path, mode, user, group, rest, folder }: Fields): string | undefined {
  if (type !== "z" && type !== "Z")
    return `has a line of type ${type}: only z and Z, a mode and an owner for files that are delivered, are for a service to say`;
  if (!path.startsWith(folder) || path.split("/").includes(".."))
    return `is about ${path}: a service may only say something about files below ${folder}`;
  if (mode !== "-" && !octal.test(mode)) return `has the mode ${mode}: three or four octal digits, or -`;
  if (mode !== "-" && (Number.parseInt(mode, 8) & ~0o755) !== 0)
    return `has the mode ${mode}: others may not be allowed to write, and nothing more is asked for than 0755`;
  if (!name.test(user) || !name.test(group)) return "has an owner that is neither a name nor a number";
  return rest.some((field) => field !== "-") ? "has an age or an argument, which mean nothing here" : undefined;
}

/** `Z` reaches everything below as well; `*`, `?` and `[…]` stand for parts of a name. */
function matcher(type: string, pattern: string): (path: string) => boolean {
  const literal = (text: string) => text.replaceAll(/[.+^${}()|\\]/g, "\\$&");
  const source = literal(pattern).replaceAll("*", "[^/]*").replaceAll("?", "[^/]");
  const expression = new RegExp(`^${source}${type === "Z" ? "(/.*)?" : ""}$`);
  return (path) => expression.test(path);
}
