#!/usr/bin/env node
"use strict";
// Tiny on purpose: a command loads only the chunks it needs, and the version none at all.
const [, , first, ...rest] = process.argv;
if ((first === "--version" || first === "-V") && rest.length === 0) console.log(require("../package.json").version);
else import("../dist/cli.js").then(({ run }) => run(process.argv.slice(2)));
