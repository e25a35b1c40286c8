import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** The package as npm packs it, installed with what it depends on into a folder of its own; gone with `remove`. */
export interface Installed {
  readonly folder: string;
  /** The files of the package, as paths below it. */
  readonly files: readonly string[];
  write(name: string, text: string): string;
  remove(): void;
}

export function installPackage(): Installed {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-installed-")));
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" }));
  const modules = path.join(folder, "node_modules");
  fs.mkdirSync(path.join(modules, "stet"), { recursive: true });
  const tarball = path.join(folder, packed.filename);
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", path.join(modules, "stet")]);
  fs.rmSync(tarball);
  for (const name of dependenciesOf("stet")) {
    fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    fs.cpSync(path.join(root, "node_modules", name), path.join(modules, name), { recursive: true });
  }
  return {
    folder,
    files: packed.files.map((file: { path: string }) => file.path),
    write(name, text) {
      const file = path.join(folder, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
      return file;
    },
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

/** What npm would install beside a package, from the packages' own words. */
function dependenciesOf(name: string, found = new Set<string>()): Set<string> {
  const place = name === "stet" ? root : path.join(root, "node_modules", name);
  const { dependencies = {} } = JSON.parse(fs.readFileSync(path.join(place, "package.json"), "utf8"));
  for (const each of Object.keys(dependencies)) {
    if (found.has(each)) continue;
    found.add(each);
    dependenciesOf(each, found);
  }
  return found;
}
