import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { type Content, type Evaluation, fileMode } from "./evaluation.ts";

/** Writes the desired state below a folder, for people to look at and for images to be built from. */
export async function writeTree(evaluation: Evaluation, folder: string, gate: Gate): Promise<void> {
  refuseForeignLinks(gate, folder);
  const present = await readdir(folder).catch(() => []);
  if (present.length > 0)
    throw new InputError({
      code: "folder-not-empty",
      file: folder,
      message: "--output-dir must be a new or empty folder",
    });
  await writeFiles(
    folder,
    evaluation.files.map(({ path, content }) => [path, content]),
  );
}

/** Files and links below a folder, which is made if it is missing. Nothing that stands there is replaced. */
export async function writeFiles(folder: string, files: Iterable<readonly [string, Content]>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [path, content] of files) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    if (content.kind === "symlink") await symlink(content.target, place);
    else {
      await writeFile(place, content.bytes, { flag: "wx" });
      await chmod(place, fileMode(content));
    }
  }
}
