import { type Profile, profiles } from "../../src/identity/profiles/index.ts";
import { runtimes } from "../../src/identity/profiles/runtimes.ts";
import type { PartText, Rule } from "../../src/identity/rules/rule.ts";

const introduction = `# Profiles

<!-- Made from src/identity/profiles by a test; change the data, then run: npx vitest run test/identity/profiles-page.test.ts -u -->

A profile is what stet knows of one agent runtime's config files: which files they are, what tells two entries apart, and what
happens by default when somebody deletes one. It is chosen by the target's path; \`profile:\` in the manifest names one where the path
says nothing. A manifest's own \`rules\` come first, and replace the profile's rules of the same type.

How to read the tables:

- **files**: the last names of a path, in any folder; from a place of its own where it begins with \`~/\` or \`$VARIABLE/\`.
- **at**: \`name[]\` walks a list, \`{name}\` walks a map and captures its key.
- **key**: an entry's name is \`type:part:part\`. A part is a capture, a field of the item or of an item around it, or \`value\`, the item
  itself; *or* means the first that is there (all but the first are shown as \`field=…\`). Behind \`|\` stands how it is read:
  \`path\` (one text for one place), \`command\` (every path in a command line, interpreters by name), \`script\` (only what a command
  runs), \`matcher\` (none, an empty one and \`*\` are the same), \`package\` (without its version).
- **declared once**: where \`servers\`, \`hooks\` and \`instructions\` of a manifest go; \`{owner}\` in a path is a file of the owner's own in a folder
  that the runtime reads all of.
- **pair**: the weaker key by which an entry is known again after its key was edited.
- What no rule covers is a setting, \`setting:<path>\`, leaf by leaf; a list without a rule is one value.
`;

/** The text of `docs/profiles.md`. */
export function profilesPage(): string {
  return [introduction, ...profiles.map(section)].join("\n");
}

function section(profile: Profile): string {
  const rows = profile.rules.map(row);
  const policies = profile.policies.map(
    (policy) => `- \`${policy.match}\`: when deleted, \`${policy["when-deleted"]}\``,
  );
  return [
    `## ${profile.title} (\`${profile.name}\`)`,
    "",
    `Files: ${profile.files.map((pattern) => `\`${pattern}\``).join(", ")}`,
    "",
    "| type | at | key | pair | new items |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    ...(policies.length === 0 ? [] : ["Default policies:", "", ...policies, ""]),
    ...declaredPlaces(profile),
    ...expansion(profile),
    ...(profile.migrates ?? []).flatMap(({ from, to }) => [
      `It moves entries of \`${from}\` to \`${to}\` beside it by itself; they are found and kept current there.`,
      "",
    ]),
    ...(profile.note === undefined ? [] : [profile.note, ""]),
    `Looked up in: ${profile.sources.map((source) => `<${source}>`).join(", ")}`,
    "",
  ].join("\n");
}

/** Where `servers`, `hooks` and `instructions` of a manifest go. */
function declaredPlaces({ name }: Profile): string[] {
  const runtime = runtimes[name];
  if (runtime === undefined) return [];
  const rows = (["servers", "hooks", "instructions"] as const).map((what) => {
    const { user, project } = runtime[what] ?? {};
    return `| ${what} | ${placeText(user)} | ${placeText(project)} |`;
  });
  const others = Object.entries(runtimes).flatMap(([other, { profile, hooks }]) =>
    profile === name ? [`Hooks for \`${other}\`, a runtime of its own: ${placeText(hooks?.user)}`, ""] : [],
  );
  return ["| declared once | in a home | in a project |", "|---|---|---|", ...rows, "", ...others];
}

function placeText(place: string | Readonly<Record<string, string>> | undefined): string {
  if (place === undefined) return "–";
  const all = typeof place === "string" ? [place] : [...new Set(Object.values(place))];
  return all.map((each) => `\`${each}\``).join(", ");
}

function expansion({ startsDirectly, expandsVariables, expands }: Profile): string[] {
  const direct = startsDirectly.map((type) => `\`${type}\``).join(", ");
  const parts = [
    ...(direct === "" ? [] : [`${direct}: started without a shell, so no \`~\` is expanded`]),
    ...(expands === undefined ? [] : [`the runtime expands ${expands}`]),
    ...(expands === undefined && expandsVariables.length > 0
      ? [`the runtime expands \`\${NAME}\` in ${expandsVariables.join(", ")}`]
      : []),
  ];
  return parts.length === 0 ? [] : [`Expansion: ${parts.join("; ")}.`, ""];
}

function row({ type, at, key, pair, position }: Rule): string {
  const place = position === "end" ? "at the end" : at.endsWith("[]") ? "beside their neighbour" : "by name";
  return `| \`${type}\` | \`${at}\` | ${partsText(key)} | ${pair === undefined ? "–" : partsText(pair)} | ${place} |`;
}

function partsText(parts: readonly PartText[]): string {
  return parts.map((part) => [part].flat().map(cell).join(" *or* ")).join(", ");
}

/** A bar inside a table's cell ends the cell unless it is escaped. */
function cell(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
