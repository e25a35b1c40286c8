import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import type { Gate } from "../../store/gate/gate.ts";
import type { Evaluation } from "./evaluation.ts";

/** Writes the desired state below a folder, for people to look at and for images to be built from. */
export async function writeTree(evaluation: Evaluation, folder: string, gate: Gate): Promise<void> {
  refuseForeignLinks(gate, folder);
  const present = await readdir(folder).catch(() => []);
  if (present.length > 0)
    throw new InputError({ code: "folder-not-empty", file: folder, message: "--output-dir must be a new or empty folder" });
  await mkdir(folder, { recursive: true });
  for (const { path, content } of evaluation.files) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    if (content.kind === "symlink") await symlink(content.target, place);
    else {
      await writeFile(place, content.bytes);
      await chmod(place, content.executable ? 0o755 : 0o644);
    }
  }
}
