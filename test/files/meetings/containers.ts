import { hook } from "../world.ts";
import { accept, edit, type FileMeetings, leave, other, policy, ship, shipYaml, write } from "./story.ts";

const plain = hook("Stop", "node x.js", { t: 5 });

/**
 * A container we had to make goes with the last of our entries in it; one that the user made, or has something in,
 * stays.
 */
export const containers: FileMeetings = {
  "pairing × containers": [
    [
      "the only hook in a list we made, wrapped by the user: no longer wanted, it stays, and so does the list",
      [write("{}\n"), ship("1", { hooks: [plain] }), edit("node x", "nice node x"), ship("2", {})],
      { "hook:Stop:node x.js": "keep obsolete-modified" },
      { hooks: [hook("Stop", "nice node x.js", { t: 5 })] },
    ],
  ],
  "merge × containers": [
    [
      "merged in a list we made, and given up: the user's part keeps it",
      [
        write("{}\n"),
        ship("1", { hooks: [plain] }),
        edit("5", "60"),
        ship("2", { hooks: [{ ...plain, u: 1 }] }),
        leave("zylos"),
      ],
      { "hook:Stop:node x.js": "merge" },
      { hooks: [{ ...plain, t: 60, u: 1 }] },
    ],
  ],
  "adopt × containers": [
    [
      "what is adopted stands in the user's own map: both stay when the owner drops it",
      [
        write('{ "env": { "n": 1 } }\n'),
        ship("1", { env: { n: 1 } }, policy({ "when-present": "adopt" })),
        ship("2", {}),
      ],
      { "setting:env.n": "forget found" },
      { env: { n: 1 } },
    ],
  ],
  "dedupe × containers": [
    [
      "the last entry and its copy go together, and the list with them",
      [write("{}\n"), ship("1", { hooks: [plain] }), write({ hooks: [plain, plain] }), ship("2", {})],
      { "hook:Stop:node x.js": "remove" },
      {},
    ],
  ],
  "moved × containers": [
    [
      "renamed out of a map we made into another: the one goes, the other comes",
      [
        write("{}\n"),
        ship("1", { env: { n: 1 } }),
        ship("2", { conf: { n: 1 } }, { moved: [{ from: "setting:env.n", to: "setting:conf.n" }] }),
        leave("zylos"),
      ],
      { "setting:conf.n": "move renamed" },
      "{}\n",
    ],
  ],
  "tombstone × containers": [
    [
      "the user emptied a map we made: it is as the user left it, and stays so",
      [
        write('{\n  "b": 1\n}\n'),
        ship("1", { env: { n: 1 } }, policy({ "when-deleted": "respect" })),
        write({ b: 1, env: {} }),
        ship("1", { env: { n: 1 } }, policy({ "when-deleted": "respect" })),
      ],
      { "setting:env.n": "keep user-deleted" },
      { b: 1, env: {} },
    ],
  ],
  "owners × containers": [
    [
      "made by one, used by both: it goes with the last",
      [write("{}\n"), ship("1", { env: { n: 1 } }), other("1", { env: { m: 1 } }), leave("zylos")],
      { "setting:env.m": "create" },
      { env: { m: 1 } },
    ],
    [
      "also where the one that made it left first",
      [write("{}\n"), ship("1", { env: { n: 1 } }), other("1", { env: { m: 1 } }), leave("zylos"), leave("other")],
      { "setting:env.m": "create" },
      "{}\n",
    ],
  ],
  "comment × containers": [
    [
      "a comment in a map we made is the user's: the map stays for it",
      [write("{}\n"), ship("1", { env: { n: 1 } }), edit('"n"', '// mine\n    "n"'), ship("2", {})],
      { "setting:env.n": "remove" },
      '{\n  "env": {\n    // mine\n  }\n}\n',
    ],
  ],
  "locked × containers": [
    [
      "a map we made that others refer to stays, with what stands in it",
      [shipYaml("1", { env: { n: 1 }, b: 1 }), write("env: &e\n  n: 1\nb: 1\nmine: *e\n"), shipYaml("2", { b: 2 })],
      { "setting:b": "update", "setting:env.n": "keep locked" },
      "env: &e\n  n: 1\nb: 2\nmine: *e\n",
    ],
  ],
  "blocked × containers": [
    [
      "the user put something else in place of a map we made: that is theirs",
      [
        write("{}\n"),
        ship("1", { env: { n: 1 } }),
        write({ env: "mine" }),
        ship("1", { env: { n: 1 } }),
        ship("2", {}),
      ],
      { "setting:env.n": "forget" },
      { env: "mine" },
    ],
  ],
  "ignore × containers": [
    [
      "an ignored field that the user changed is an edit once the entry is to go: it stays, with its list",
      [
        write("{}\n"),
        ship("1", { hooks: [plain] }, policy({ ignore: ["t"] })),
        edit("5", "60"),
        ship("2", {}, policy({ ignore: ["t"] })),
      ],
      { "hook:Stop:node x.js": "keep obsolete-modified" },
      { hooks: [{ ...plain, t: 60 }] },
    ],
  ],
  "when-deleted × containers": [
    [
      "deleted with the map we made: both are put back, and both go",
      [write("{}\n"), ship("1", { env: { n: 1 } }), write("{}\n"), ship("1", { env: { n: 1 } }), leave("zylos")],
      { "setting:env.n": "restore" },
      "{}\n",
    ],
  ],
  "when-edited × containers": [
    [
      "edited, and no longer wanted where edits are overwritten: it goes, and the map too",
      [
        write("{}\n"),
        ship("1", { env: { n: 1 } }),
        edit("1", "9"),
        ship("2", {}, policy({ "when-edited": "overwrite" })),
      ],
      { "setting:env.n": "remove" },
      {},
    ],
  ],
  "create-only × containers": [
    [
      "never updated, but taken out when it is no longer wanted, with its map",
      [
        write("{}\n"),
        ship("1", { env: { n: 1 } }, policy({ "create-only": true })),
        ship("2", { env: { n: 2 } }, policy({ "create-only": true })),
        ship("3", {}, policy({ "create-only": true })),
      ],
      { "setting:env.n": "remove" },
      {},
    ],
  ],
  "earlier × containers": [
    [
      "a map from an install without records: nobody knows who made it, so it stays",
      [
        write({ env: { n: 0 } }),
        ship(
          "1",
          { env: { n: 1 } },
          { earlier: { "0.9": { from: { "~/app/config.json": { env: { n: 0 } } }, when: { exists: "~/app" } } } },
        ),
        ship("2", {}),
      ],
      { "setting:env.n": "remove" },
      { env: {} },
    ],
  ],
  "pending × containers": [
    [
      "a conflict in a map we made, settled for the user: theirs, and the map with it",
      [
        write("{}\n"),
        ship("1", { env: { n: 1 } }),
        edit("1", "9"),
        ship("2", { env: { n: 2 } }),
        accept("setting:env.n"),
        ship("3", {}),
      ],
      { "setting:env.n": "keep obsolete-modified" },
      { env: { n: 9 } },
    ],
  ],
};
