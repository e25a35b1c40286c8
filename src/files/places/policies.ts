import { join, relative } from "node:path";
import { InputError, lineAndColumn } from "../../core/diagnostic.ts";
import type { Policy } from "../../core/policy.ts";
import { configFolder, type Machine, type Project } from "../../engine/machine.ts";
import type { PathContext } from "../../identity/paths/path-context.ts";
import { canonicalPath } from "../../identity/paths/paths.ts";
import { type Variables, variablesIn } from "../../readings/template.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { substituteTarget, targetVariables } from "../manifest/variables.ts";

/**
 * The user's own policies, asked before any manifest's. They may name files by the home and the folders of the
 * specification; what a manifest declares, they do not know. Few users have some, and only they load a reader of YAML.
 */
export async function readUserPolicies(reader: Reader, machine: Machine): Promise<Policy[]> {
  const path = join(configFolder(machine), "policy.yaml");
  const bytes = reader.read(path);
  if (bytes === undefined) return [];
  const { parsePolicies } = await import("../manifest/load-manifest.ts");
  const variables = targetVariables(new Map([["HOME", machine.home]]), machine);
  return parsePolicies(bytes, path).map((policy) => {
    const unknown = variablesIn(policy.file ?? "").find(({ name }) => !variables.has(name));
    if (unknown === undefined)
      return policy.file === undefined ? policy : { ...policy, file: substituteTarget(policy.file, variables) };
    const variable = `\${${unknown.name}}`;
    const message = `file: ${variable} is not defined here; write the path, or one of ${[...variables.keys()].map((name) => `\${${name}}`).join(", ")}`;
    const text = bytes.toString("utf8");
    throw new InputError({
      code: "invalid-policy",
      message,
      file: path,
      ...lineAndColumn(text, text.indexOf(variable)),
    });
  });
}

/**
 * The names by which policies and moves may mean a file: its own, and for a file of a folder the folder's. In a project
 * they are spelled below it, as targets are.
 */
export function placesNamed(path: string, name: string | undefined, project: Project | undefined): readonly string[] {
  const names = name === undefined ? [path] : [path, path.slice(0, -name.length - 1)];
  return project === undefined ? names : [...names, ...names.map((each) => relative(project.root, each))];
}

/** Policies (and moves) may name the one target they are about, and the user's the one owner. */
export function narrowed(
  policies: readonly Policy[],
  owner: string,
  names: readonly string[],
  context: PathContext,
  variables: Variables = new Map(),
): Policy[] {
  return policies
    .filter(
      (policy) =>
        (policy.owner === undefined || policy.owner === owner) && appliesTo(policy.file, names, variables, context),
    )
    .map(({ file: _, owner: __, ...policy }) => policy);
}

export function appliesTo(
  file: string | undefined,
  names: readonly string[],
  variables: Variables,
  context: PathContext,
): boolean {
  if (file === undefined) return true;
  const meant = canonicalPath(substituteTarget(file, variables).replace(/(.)\/+$/, "$1"), context);
  return names.some((name) => canonicalPath(name, context) === meant);
}
