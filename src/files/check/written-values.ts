import { closest, type Diagnostic, lineAndColumn } from "../../core/diagnostic.ts";
import { canonicalText, type Value } from "../../core/value.ts";
import type { Machine } from "../../engine/machine.ts";
import type { OwnerState } from "../../engine/owner-state.ts";
import type { Place } from "../../engine/place.ts";
import type { PathContext } from "../../identity/paths/path-context.ts";
import { profileFor } from "../../identity/profiles/index.ts";
import { formatFor } from "../../readings/reading-data.ts";
import { variablesIn } from "../../readings/template.ts";
import { commandOf, commandProblem, expands, structured, textsIn, tildes } from "../doctor/commands.ts";
import type { Pack, PackFile } from "../manifest/pack.ts";

/**
 * What a pack writes that nobody will understand as it was meant: variables that nobody declares, tildes that nobody
 * expands.
 */
export function writtenValueFindings(
  pack: Pack,
  places: readonly Place[],
  { context }: Pick<OwnerState, "context">,
): Diagnostic[] {
  const declared = ["HOME", ...Object.keys(pack.vars)];
  const entries = places.flatMap(({ path, desired }) => {
    const profile = profileFor(path, context);
    return desired.map((entry) => ({ ...entry, path, profile }));
  });
  const isExpanded = (name: string) => {
    const holding = entries.filter(({ value }) => canonicalText(value).includes(`\${${name}}`));
    return holding.length > 0 && holding.every(({ type, value, profile }) => expands(name, type, value, profile));
  };
  return [
    ...pack.files.flatMap((file) =>
      [file.template, ...(file.also ?? [])].flatMap((template) =>
        undeclared({ ...file, template }, declared, isExpanded),
      ),
    ),
    ...entries.flatMap(({ path, key, type, value, profile }) =>
      (profile ? tildes(type, value, profile) : []).map(({ code, message, fix }): Diagnostic => {
        return { code, severity: "warning", message: `${key}: ${message}; ${fix}`, file: path, key };
      }),
    ),
    ...entries.flatMap(({ path, key, value }) =>
      homesInUrls(value, context).map((url): Diagnostic => {
        const message = `${key}: ${url} has a path of this machine in it, because a variable whose value begins with ~ is written absolutely; take the variable out of the URL, or give it a value that does not begin with ~`;
        return { code: "path-in-url", severity: "warning", message, file: path, key };
      }),
    ),
  ];
}

/** Addresses on a network whose path has this home in it; what follows behind `?` or `#` is the server's business. */
function homesInUrls(value: Value, { home }: PathContext): string[] {
  const urls = textsIn(value).flatMap((text) => text.match(/\b(?:https?|wss?):\/\/[^\s"'`<>?#]*/g) ?? []);
  return [...new Set(urls.filter((url) => url.includes(home)))];
}

function undeclared(
  { target, format, strategy, template }: PackFile,
  declared: readonly string[],
  isExpanded: (name: string) => boolean,
) {
  const text = template.kind === "text" ? template.text : template.kind === "data" ? canonicalText(template.value) : "";
  // In a shell's own files and in prose a variable is meant as one, unless it looks like a slip.
  const isText = strategy !== undefined && strategy !== "entries";
  const isMeant = isText || !structured.has(format ?? formatFor(target));
  const seen = new Set<string>(declared);
  return variablesIn(text).flatMap(({ name, offset }): Diagnostic[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    const meant = closest(name, declared);
    if (meant === undefined && (isMeant || isExpanded(name))) return [];
    const hint = meant === undefined ? "" : ` (did you mean \${${meant}}?)`;
    const message = `\${${name}} is not declared, so it would be written literally${hint}; declare it under vars, or write $\${${name}} if you mean it literally`;
    return [
      {
        code: "undeclared-variable",
        severity: "warning",
        message,
        file: template.name,
        ...(template.kind === "text" ? lineAndColumn(text, offset) : {}),
      },
    ];
  });
}

/** After an install: whether the scripts that entries run came with it, and may be run. */
export function scriptFindings(
  places: readonly Place[],
  { context }: Pick<OwnerState, "context">,
  machine: Machine,
): Diagnostic[] {
  return places.flatMap(({ path, desired }) =>
    desired.flatMap(({ key, value }): Diagnostic[] => {
      const command = commandOf(key, value as Value);
      const problem = command === undefined ? undefined : commandProblem(command, context, machine);
      if (problem?.code === "script-not-executable")
        return [
          {
            code: problem.code,
            severity: "warning",
            message: `${key}: ${problem.message}; make the template executable, or set mode: 0755`,
            file: path,
            key,
          },
        ];
      if (problem?.code !== "script-missing" || !problem.message.includes(machine.home)) return [];
      return [
        {
          code: "script-not-shipped",
          severity: "info",
          message: `${key}: ${problem.message} after an install; ship it as a file, unless something else installs it`,
          file: path,
          key,
        },
      ];
    }),
  );
}
