import { type Declaration, declarationsIn } from "./declarations.ts";

/** The functions by what people come for. A test sees to it that none is missing. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "Packs and plans": ["loadManifest", "plan", "apply", "reconcile", "savePlan", "loadPlan", "telemetryOf", "watch"],
  "What is installed": ["status", "blame", "explain", "doctor", "whoRuns", "history"],
  "Deciding and undoing": ["resolve", "adopt", "disown", "rollback", "uninstall"],
  "For pack authors": ["init", "check"],
  "Texts without records": ["merge", "diff", "modify"],
  "Host and toolset": ["evaluateHost", "checkRepository", "discover", "mergeToolset"],
  "The command line and the machine": ["main", "thisMachine"],
};

const introduction = `# The library

Every command on files as a function, the pure parts of host and toolset, and the whole command line under your own name.

    npm install /path/to/stet-0.2.0.tgz

That file is what \`npm pack\` makes in a clone, after \`npm ci\`; stet is not in the npm registry yet.

\`import { plan } from "stet"\` and \`const { plan } = require("stet")\` both work, on Node 20, 22 and 24. The types need
no other package: neither Node's types nor a setting such as \`skipLibCheck\`, from TypeScript 5.4 on.

- **Where.** A function that touches files takes a machine: \`{ home: "/home/you" }\`, or \`thisMachine()\` for this
  process's home and environment. Nothing prints, exits or reads the process unless you ask it to.
- **Manifests.** \`loadManifest\` reads a folder, a file or an object that carries its templates; every other function
  takes what it gave, itself and not a copy.
- **Plans.** A plan is what \`--json\` prints, and can be shown or counted like any object. \`apply\` takes the plan that
  \`plan\` gave. To carry one to another process or a later day, \`savePlan\` makes a text of it and \`loadPlan\` a plan
  of the text; what \`JSON.parse\` gives is only the part for people.
- **Errors.** What is wrong with what somebody gave is an \`InputError\`: its \`code\` is one of
  [diagnostics.md](diagnostics.md), \`diagnostics\` has all that is wrong, each with file, line and column where there
  is one. Anything else that is thrown is a mistake of ours.
- **Bundling.** esbuild, rollup and webpack bundle it as an ES module or CommonJS, and so does a single executable
  (Node's SEA). The addon \`fs-native-extensions\` can't be part of a bundle: name it as external, and ship it in
  \`node_modules\` beside the bundle or the executable.
- **Versions.** What this page shows changes only with a line in CHANGELOG.md, and incompatibly only with a new minor
  version before 1.0, a new major version after.

Made of the types by a test, which also runs the examples; after a change run \`npx vitest run test/docs -u\`.
`;

export function libraryPage(types: string): string {
  const declarations = new Map(declarationsIn(types).map((each) => [each.name, each]));
  const functions = Object.entries(groups).map(
    ([heading, names]) => `## ${heading}\n\n${names.map((name) => functionPart(declarations.get(name)!)).join("\n")}`,
  );
  const others = [...declarations.values()].filter(({ kind }) => kind !== "function");
  const sorted = others.sort((a, b) => (a.name < b.name ? -1 : 1));
  return `${introduction}\n${functions.join("\n")}\n## Types\n\n${sorted.map(typePart).join("\n")}`;
}

function functionPart({ name, text, about, example }: Declaration): string {
  const shown = example === undefined ? "" : `\n\`\`\`js\n${example}\n\`\`\`\n`;
  return `### ${name}\n\n${about}\n\n\`\`\`ts\n${text.replace(/^declare /, "")}\n\`\`\`\n${shown}`;
}

function typePart({ name, text, about }: Declaration): string {
  if (name === "DiagnosticCode") return `### ${name}\n\nOne of the codes in [diagnostics.md](diagnostics.md).\n`;
  return `### ${name}\n\n${about === "" ? "" : `${about}\n\n`}\`\`\`ts\n${text.replace(/^declare /, "")}\n\`\`\`\n`;
}

/** The functions that the page shows. */
export const shownFunctions: readonly string[] = Object.values(groups).flat();

/** An example of the page as a program, and the lines it says that it prints. */
export function examplesIn(page: string): { readonly code: string; readonly printed: string }[] {
  return [...page.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => ({
    code: code!,
    printed: [...code!.matchAll(/(?:^|console\.log\(.*\); )\/\/ (.+)$/gm)]
      .map(([, line]) => line!)
      .filter((line) => !line.endsWith(":"))
      .map((line) => `${line}\n`)
      .join(""),
  }));
}
