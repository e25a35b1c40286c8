import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

interface Package {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (folder: string) => JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")) as Package;

/** The folder of every package that an installation of stet brings along, found as Node finds it. */
function installed(folder: string, found = new Set<string>()): Set<string> {
  const { dependencies = {}, optionalDependencies = {} } = read(folder);
  for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
    const place = nearest(folder, name);
    if (place === undefined || found.has(place)) continue;
    found.add(place);
    installed(place, found);
  }
  return found;
}

function nearest(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const place = path.join(at, "node_modules", name);
    if (fs.existsSync(place)) return place;
    if (at === path.dirname(at)) return undefined;
  }
}

it("installing stet runs nobody's code: no dependency has an install script, or is built on the spot", () => {
  const folders = [...installed(process.cwd())];
  expect(folders.map((folder) => read(folder).name)).toContain("fs-native-extensions");
  for (const folder of [process.cwd(), ...folders]) {
    const { name, scripts = {} } = read(folder);
    const run = ["preinstall", "install", "postinstall"].filter((each) => scripts[each] !== undefined);
    // npm builds what has this file even without a script.
    expect({ name, run, built: fs.existsSync(path.join(folder, "binding.gyp")) }).toEqual({
      name,
      run: [],
      built: false,
    });
  }
});
