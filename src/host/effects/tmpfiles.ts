import type { Diagnostic } from "../../core/diagnostic.ts";
import { runProgram } from "../../system/run-program.ts";
import { setsOwner } from "../evaluate/tmpfiles.ts";
import type { HostPlan } from "../plan.ts";
import { type HostTarget, placeUnder } from "../target.ts";

/**
 * Has systemd-tmpfiles give files to the owners that services ask for. The modes are right already when the files
 * appear.
 */
export async function setOwners(
  { evaluation }: HostPlan,
  { root, scope, layout }: HostTarget,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Diagnostic[]> {
  const folder = `${layout.configFolder}/tmpfiles.d/`;
  const asked = evaluation.files.filter((file) => file.path.startsWith(folder) && setsOwner(file));
  if (asked.length === 0 || scope === "user") return [];
  const files = asked.map(({ path }) => placeUnder(root, path));
  const args = ["--create", ...(root === "/" ? [] : [`--root=${root}`]), ...files];
  const result = await runProgram("systemd-tmpfiles", { args, env: { PATH: env.PATH }, timeoutMs: 60_000 });
  if (result.kind === "exited" && result.status === 0) return [];
  const why = result.kind === "exited" ? (result.stderr.trim().split("\n").at(-1) ?? "") : "it can't be run";
  return [
    {
      code: "owner-not-set",
      severity: "warning",
      message: `systemd-tmpfiles did not set the owners that ${files.join(", ")} asks for: ${why}`,
    },
  ];
}
