import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { ConflictCopy } from "../../files/edit-conflict.ts";
import type { Io } from "./io.ts";

/** A copy of a text in a folder that only we can read, for an editor. */
export interface EditedCopy {
  readonly path: string;
  readonly text: string;
  remove(): void;
}

/** Beside the copy: what it was made of. */
const stamp = ".made-of";

/** What a copy was made of; undefined where it is not one of ours. */
export function stampOf(copy: string): string | undefined {
  const path = join(dirname(copy), stamp);
  return fs.existsSync(path) ? fs.readFileSync(path, "utf8") : undefined;
}

/**
 * Lets a person change a copy of a text in the editor they use. The copy keeps the file's name, so that the editor
 * knows what it is.
 */
export function editCopy({ text, file, madeOf }: Pick<ConflictCopy, "text" | "file" | "madeOf">, io: Io): EditedCopy {
  const folder = fs.mkdtempSync(join(tmpdir(), "stet-resolve-"));
  const path = join(folder, basename(file));
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  fs.writeFileSync(path, text, { mode: 0o600 });
  fs.writeFileSync(join(folder, stamp), madeOf, { mode: 0o600 });
  const editor = io.env.VISUAL || io.env.EDITOR || (io.platform === "win32" ? "notepad" : "vi");
  const problem = runEditor(editor, path, io);
  if (problem !== undefined) {
    remove();
    throw new InputError({ code: "editor-failed", message: `the editor (${editor}) ${problem}; nothing was changed` });
  }
  return { path, text: fs.readFileSync(path, "utf8"), remove };
}

/**
 * Through a shell, as `$EDITOR` may be a command with options. The path is an argument of its own and never read as a
 * command.
 */
function runEditor(editor: string, path: string, io: Io): string | undefined {
  const options = { stdio: "inherit", cwd: io.cwd, env: { ...io.env } } as const;
  const ended =
    io.platform === "win32"
      ? spawnSync(`${editor} "${path}"`, { ...options, shell: true })
      : spawnSync("sh", ["-c", `${editor} "$@"`, editor, path], options);
  if (ended.error) return `can't be started (${(ended.error as NodeJS.ErrnoException).code})`;
  return ended.status === 0 ? undefined : `ended with ${ended.signal ?? ended.status}`;
}
