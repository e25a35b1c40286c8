#!/usr/bin/env node
"use strict";
// Tiny on purpose: a command loads only what it needs, and the version nothing at all (nor the streams that console would set up).
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
} else if (args[0] === "plan" || args[0] === "apply") {
  // Most of the time there is nothing to do, and little has to be loaded to see that.
  if (!require("../dist/fast-path.cjs").answered(args)) require("../dist/plan-apply.cjs").run(args);
} else if (args[0] === "merge") {
  // Git calls a merge driver once a file.
  require("../dist/merge.cjs").run(args);
} else import("../dist/cli.js").then(({ run }) => run(args));
