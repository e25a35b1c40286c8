import { loadManifest, reconcile } from "../../src/library.ts";
import { flatHooks } from "./owner-rules.ts";

/** One of two frameworks that upgrade themselves again and again at the same time: `node owner-process.mjs HOME OWNER ROUNDS`. */
const [home = "", owner = "", rounds = "1"] = process.argv.slice(2);
for (let round = 1; round <= Number(rounds); round++) {
  const template = {
    shared: "both",
    [owner]: { round },
    hooks: [
      { event: "Stop", command: "node ~/shared.js" },
      { event: "Stop", command: `node ~/${owner}.js`, round },
    ],
  };
  const files = [{ target: "~/app/config.json", template, rules: flatHooks }];
  await reconcile(await loadManifest({ name: owner, version: `${round}.0.0`, files }), { home });
}
