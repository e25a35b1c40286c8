import { isAbsolute, relative } from "node:path";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { expandHome, type Machine } from "../../engine/machine.ts";
import { substitute } from "../../readings/template.ts";
import type { Pack } from "../manifest/pack.ts";
import { variablesOf } from "../manifest/variables.ts";

/** The part of a pack that can be tried in a home made for it: never a file that lies anywhere else. */
export function triedFiles(pack: Pack, machine: Machine): { readonly tried: Pack; readonly findings: readonly Diagnostic[] } {
  const variables = variablesOf(pack, machine);
  const findings: Diagnostic[] = [];
  const note = (target: string, why: string) =>
    findings.push({ code: "not-tried", severity: "info", message: `${target} is not tried: ${why}` });
  const files = pack.files.filter(({ target, os }) => {
    const path = expandHome(substitute(target, variables), machine.home);
    // A target that is not absolute, or has an undefined variable, is an error that planning explains.
    const outside = isAbsolute(path) && relative(machine.home, path).startsWith("..");
    if (outside) note(target, "it lies outside the home; give its variable a place under ~ with --set");
    else if (os && !os.includes(machine.platform)) note(target, `it is for ${os.join(", ")}, and this is ${machine.platform}`);
    return !outside;
  });
  return { tried: { ...pack, files }, findings };
}
