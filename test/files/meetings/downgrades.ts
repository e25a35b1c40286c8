import { hook } from "../world.ts";
import { edit, type FileMeetings, other, policy, rollback, ship, shipYaml, write } from "./story.ts";

const [plain, fast] = [hook("Stop", "node x.js", { t: 5 }), hook("Stop", "node --fast x.js", { t: 5 })];
const moved = { moved: [{ from: "setting:old", to: "setting:new" }] };

/** A downgrade plans like any other change: what meets it meets it as it meets an upgrade. */
export const downgrades: FileMeetings = {
  "pairing × downgrade": [
    [
      "an option goes again: the same hook",
      [ship("2", { hooks: [fast] }), ship("1", { hooks: [plain] })],
      { "hook:Stop:node x.js": "move renamed" },
      { hooks: [plain] },
    ],
    [
      "of a hook that the user wrapped: a conflict about the command, and still one hook",
      [ship("2", { hooks: [fast] }), edit("node --fast", "nice node --fast"), ship("1", { hooks: [plain] })],
      { "hook:Stop:node x.js": "conflict both-changed" },
      { hooks: [hook("Stop", "nice node --fast x.js", { t: 5 })] },
    ],
  ],
  "merge × downgrade": [
    [
      "the user's field stands, the older release's comes",
      [
        ship("2", { hooks: [{ ...plain, u: 2 }] }),
        edit('"t": 5', '"t": 60'),
        ship("1", { hooks: [{ ...plain, u: 1 }] }),
      ],
      { "hook:Stop:node x.js": "merge" },
      { hooks: [{ ...plain, t: 60, u: 1 }] },
    ],
  ],
  "adopt × downgrade": [
    [
      "the older release does not want what was adopted: it stays as it was found",
      [write({ b: 5 }), ship("2", { a: 1, b: 1 }, policy({ "when-present": "adopt" })), ship("1", { a: 1 })],
      { "setting:a": "unchanged", "setting:b": "forget found" },
      { b: 5, a: 1 },
    ],
  ],
  "dedupe × downgrade": [
    [
      "the first goes back, its copy goes",
      [
        ship("2", { hooks: [{ ...plain, t: 9 }] }),
        write({
          hooks: [
            { ...plain, t: 9 },
            { ...plain, t: 9 },
          ],
        }),
        ship("1", { hooks: [plain] }),
      ],
      { "hook:Stop:node x.js": "update" },
      { hooks: [plain] },
    ],
  ],
  "moved × downgrade": [
    [
      "the older release knows nothing of the rename: the new name goes, the old one comes",
      [ship("1", { old: 1 }), ship("2", { new: 1 }, moved), ship("1", { old: 1 })],
      { "setting:new": "remove", "setting:old": "create" },
      { old: 1 },
    ],
    [
      "unless the user edited it under the new name: that stays",
      [ship("1", { old: 1 }), ship("2", { new: 1 }, moved), edit("1", "7"), ship("1", { old: 1 })],
      { "setting:new": "keep obsolete-modified", "setting:old": "create" },
      { new: 7, old: 1 },
    ],
  ],
  "tombstone × downgrade": [
    [
      "what the user took out stays out of the older release too",
      [
        ship("2", { a: 2, b: 1 }, policy({ "when-deleted": "respect" })),
        write({ b: 1 }),
        ship("1", { a: 1, b: 1 }, policy({ "when-deleted": "respect" })),
        ship("0", { a: 0, b: 1 }),
      ],
      { "setting:a": "keep user-deleted", "setting:b": "unchanged" },
      { b: 1 },
    ],
  ],
  "owners × downgrade": [
    [
      "another owner wants the newer value to stay",
      [ship("2", { a: 2 }), other("1", { a: 2 }), ship("1", { a: 1 })],
      { "setting:a": "conflict owners-differ" },
      { a: 2 },
    ],
  ],
  "comment × downgrade": [
    [
      "a list with a comment in it does not go back",
      [ship("2", { a: [2], b: 2 }), edit("2\n  ]", "2 // mine\n  ]"), ship("1", { a: [1], b: 1 })],
      { "setting:a": "conflict both-changed", "setting:b": "update" },
      '{\n  "a": [\n    2 // mine\n  ],\n  "b": 1\n}\n',
    ],
  ],
  "locked × downgrade": [
    [
      "a value that others refer to stays newer",
      [shipYaml("2", { a: 2, b: 2 }), write("a: &x 2\nb: 2\nmine: *x\n"), shipYaml("1", { a: 1, b: 1 })],
      { "setting:a": "keep locked", "setting:b": "update" },
      "a: &x 2\nb: 1\nmine: *x\n",
    ],
  ],
  "blocked × downgrade": [
    [
      "something of the user's stands where the older release wants a map",
      [ship("2", { a: 2 }), write({ a: 2, env: "mine" }), ship("1", { a: 1, env: { n: 1 } })],
      { "setting:a": "update", "setting:env.n": "keep blocked" },
      { a: 1, env: "mine" },
    ],
  ],
  "ignore × downgrade": [
    [
      "an ignored field is the user's in every version",
      [
        ship("2", { hooks: [{ ...plain, u: 2 }] }, policy({ ignore: ["t"] })),
        edit('"t": 5', '"t": 60'),
        ship("1", { hooks: [{ ...plain, t: 4, u: 1 }] }, policy({ ignore: ["t"] })),
      ],
      { "hook:Stop:node x.js": "update" },
      { hooks: [{ ...plain, t: 60, u: 1 }] },
    ],
  ],
  "when-deleted × downgrade": [
    [
      "put back as the older release has it",
      [ship("2", { a: 2, b: 1 }), write({ b: 1 }), ship("1", { a: 1, b: 1 })],
      { "setting:a": "restore", "setting:b": "unchanged" },
      { a: 1, b: 1 },
    ],
  ],
  "when-edited × downgrade": [
    [
      "overwritten with the older value",
      [ship("2", { a: 2 }), edit("2", "9"), ship("1", { a: 1 }, policy({ "when-edited": "overwrite" }))],
      { "setting:a": "update" },
      { a: 1 },
    ],
    [
      "kept",
      [ship("2", { a: 2 }), edit("2", "9"), ship("1", { a: 1 }, policy({ "when-edited": "keep" }))],
      { "setting:a": "keep user-modified" },
      { a: 9 },
    ],
  ],
  "create-only × downgrade": [
    [
      "never updated, in neither direction",
      [ship("2", { a: 2 }), ship("1", { a: 1 }, policy({ "create-only": true }))],
      { "setting:a": "keep create-only" },
      { a: 2 },
    ],
  ],
  "earlier × downgrade": "a downgrade has records, and where there are records no earlier release is looked for",
  "pending × downgrade": [
    [
      "the older release wants what it always wanted: no conflict any more, just an edit",
      [ship("1", { a: 1 }), edit("1", "9"), ship("2", { a: 2 }), ship("1", { a: 1 })],
      { "setting:a": "keep user-modified" },
      { a: 9 },
    ],
  ],
  "downgrade × held": [
    [
      "a version that is held stays so when one before it is applied",
      [
        ship("1", { a: 1 }),
        ship("2", { a: 2 }),
        ship("3", { a: 3 }),
        rollback,
        ship("1", { a: 1 }),
        ship("3", { a: 3 }),
      ],
      { "setting:a": "keep held" },
      { a: 1 },
    ],
  ],
  "downgrade × containers": [
    [
      "a map that the newer release needed goes with what stood in it",
      [write("{}\n"), ship("1", { a: 1 }), ship("2", { a: 1, env: { deep: { n: 1 } } }), ship("1", { a: 1 })],
      { "setting:a": "unchanged", "setting:env.deep.n": "remove" },
      '{\n  "a": 1\n}\n',
    ],
  ],
};
