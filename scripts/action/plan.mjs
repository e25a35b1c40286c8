// Step 2: what would change, as Markdown. Nothing is written but the report.
import { appendFileSync, writeFileSync } from "node:fs";
import { eventPullRequest, fail, input, output, reportFile, stet } from "./runner.mjs";

const mode = input("mode", "plan");
const { status, out, err } = mode === "host-diff" ? hostDiff() : plan();
const isPlanned = status === 0 || status === 2;
const report = isPlanned || out !== "" ? out : `### stet could not plan this\n\n${quoted(err)}`;
writeFileSync(reportFile, report);
if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, `${report}\n`);
output("report", reportFile);
output("changed", status === 2 || (mode === "host-diff" && !/^\*\*0 of /.test(report)));
if (!isPlanned) fail(err.trim() || "stet could not plan this");

function plan() {
  if (mode !== "plan" && mode !== "upgrade") fail(`mode: ${mode}: it is one of plan, upgrade, host-diff`);
  const pack = input("pack", ".");
  return stet("plan", "--format", "markdown", "--diff", "--exit-code", "--project", input("project", "."), "--", pack);
}

function hostDiff() {
  const from = input("from") || eventPullRequest()?.base.sha;
  if (!from) fail("host-diff: from which revision? This is no pull request, so say it with from:");
  return stet("host", "diff", "--repo", input("repo", "."), "--all-hosts", "--format", "markdown", "--", from);
}

/** Indented, a text is code whatever stands in it. */
function quoted(text) {
  return text.trimEnd().replaceAll(/^/gm, "    ");
}
