import { dirname, join } from "node:path";
import type { Reader } from "../../store/gate/gate.ts";
import { earlierFolders, type ManifestOptions, packFile, packOf, readManifest, readPack } from "./load-manifest.ts";
import { manifestFile } from "./manifest-file.ts";
import type { Pack } from "./pack.ts";
import { readShipped } from "./read-template.ts";

/**
 * Every earlier release that a manifest names, as the pack it was: for trying upgrades from it. In the manifest's
 * order.
 */
export function readEarlierPacks(reader: Reader, path: string, options: ManifestOptions): Pack[] {
  const file = manifestFile(reader, path);
  const folder = dirname(file);
  const data = readManifest(reader, file);
  return earlierFolders(data).map(({ version, from: at }) => {
    // A release with a manifest of its own says itself what it shipped and where.
    if (reader.read(join(folder, at, "stet.yaml")) !== undefined)
      return readPack(reader, join(folder, at), { ...options, version });
    const release = { reader, root: folder, at, manifest: file };
    const files = data.files.flatMap((entry) =>
      readShipped(release, entry).map((shipped) => packFile(entry, shipped, [], undefined)),
    );
    return packOf({ ...data, moved: [] }, version, files, { ...options, version });
  });
}
