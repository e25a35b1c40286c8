// The last step: one comment of the pull request says what the report says, however often it runs.
import { existsSync, readFileSync } from "node:fs";
import { api, eventPullRequest, fail, input, reportFile, warn } from "./runner.mjs";

const number = input("pull-request") || eventPullRequest()?.number;
const id = input("comment-id") || `${input("mode", "plan")} ${input("pack", ".")}`;
// Nothing of a name can end the comment that marks ours.
const marker = `<!-- stet: ${id.replaceAll(/[^\w./ -]/g, "")} -->`;

if (!existsSync(reportFile)) fail("there is no report to show");
else if (!number) console.log("This is no pull request: the report stands in the summary of the run.");
else await keepCurrent(`${marker}\n${readFileSync(reportFile, "utf8")}`);

async function keepCurrent(body) {
  const [ours, ...copies] = await ownComments();
  if (ours?.body === body) return console.log(`comment ${ours.id} is current`);
  const { status, data } = ours
    ? await api("PATCH", `/issues/comments/${ours.id}`, { body })
    : await api("POST", `/issues/${number}/comments`, { body });
  // A pull request from a fork may not write; the summary of the run has the report.
  if (status === 403 || status === 401) warn(`no comment: this token may not write one (${data?.message ?? status})`);
  else if (status >= 300) fail(`the comment could not be written: ${data?.message ?? status}`);
  for (const copy of copies) await api("DELETE", `/issues/comments/${copy.id}`);
}

/** Only what this account wrote: anybody can write the marker into a comment. */
async function ownComments() {
  const found = [];
  for (let page = 1; ; page++) {
    const { status, data } = await api("GET", `/issues/${number}/comments?per_page=100&page=${page}`);
    if (status !== 200) fail(`the comments of #${number} can't be read: ${data?.message ?? status}`);
    found.push(...data.filter(({ user, body }) => user.login === input("author") && body.startsWith(marker)));
    if (data.length < 100) return found;
  }
}
