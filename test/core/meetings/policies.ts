import type { Meetings } from "./meeting.ts";
import { A, D, k, R, tombstone } from "./words.ts";

/** What is said about entries by pattern, earlier releases, and conflicts that wait. */
export const policies: Meetings = {
  "ignore × when-deleted": [
    [
      "put back whole: with the entry the user's value of the ignored field is gone",
      { D: [D(k, { x: 1, t: 7 })], R: [R(k, { x: 1, t: 5 })], policies: [{ match: "*", ignore: ["t"] }] },
      [k, "restore", { x: 1, t: 7 }, { x: 1, t: 7 }],
    ],
  ],
  "ignore × when-edited": [
    [
      "overwrite spares what is ignored",
      {
        D: [D(k, { x: 1, t: 7 })],
        R: [R(k, { x: 1, t: 5 })],
        A: [A(k, { x: 9, t: 60 })],
        policies: [{ match: "*", ignore: ["t"], whenEdited: "overwrite" }],
      },
      [k, "update", { x: 1, t: 60 }, { x: 1, t: 7 }],
    ],
    [
      "keep: an ignored field is no edit, so the rest is kept current",
      {
        D: [D(k, { x: 2, t: 5 })],
        R: [R(k, { x: 1, t: 5 })],
        A: [A(k, { x: 1, t: 60 })],
        policies: [{ match: "*", ignore: ["t"], whenEdited: "keep" }],
      },
      [k, "update", { x: 2, t: 60 }, { x: 2, t: 5 }],
    ],
  ],
  "ignore × create-only": [
    [
      "an ignored field is no difference, the others are never updated",
      {
        D: [D(k, { x: 1, t: 7 })],
        R: [R(k, { x: 1, t: 5 })],
        A: [A(k, { x: 1, t: 60 })],
        policies: [{ match: "*", ignore: ["t"], createOnly: true }],
      },
      [k, "unchanged", { x: 1, t: 60 }],
    ],
  ],
  "ignore × earlier": [
    [
      "what differs from an earlier release in an ignored field only is that release's",
      {
        D: [D(k, { x: 2, t: 7 })],
        A: [A(k, { x: 1, t: 60 })],
        earlier: { [k]: [{ x: 1, t: 5 }] },
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "update earlier-release", { x: 2, t: 60 }, { x: 2, t: 7 }],
    ],
  ],
  "ignore × pending": [
    [
      "a field that waits and is ignored from now on waits no longer: it is the user's",
      {
        D: [D(k, { x: 1, y: 2 })],
        R: [R(k, { x: 1, y: 1 })],
        A: [A(k, { x: 1, y: 9 })],
        policies: [{ match: "*", ignore: ["y"] }],
      },
      [k, "unchanged", { x: 1, y: 9 }],
    ],
    [
      "another field waits on",
      {
        D: [D(k, { x: 2, y: 2 })],
        R: [R(k, { x: 1, y: 1 })],
        A: [A(k, { x: 7, y: 9 })],
        policies: [{ match: "*", ignore: ["y"] }],
      },
      [k, "conflict both-changed", { x: 7, y: 9 }, { x: 1, y: 2 }],
    ],
  ],
  "when-deleted × when-edited": [
    [
      "deleted is not edited: overwrite does not put it back where deleting is respected",
      { D: [D(k, 2)], R: [R(k, 1)], policies: [{ match: "*", whenDeleted: "respect", whenEdited: "overwrite" }] },
      [k, "keep user-deleted", undefined, tombstone(1)],
    ],
    [
      "nor does keep keep it out where it is restored",
      { D: [D(k, 2)], R: [R(k, 1)], policies: [{ match: "*", whenEdited: "keep" }] },
      [k, "restore", 2, 2],
    ],
  ],
  "when-deleted × create-only": [
    [
      "not restored, and no tombstone either: lifting the policy brings it back",
      { D: [D(k, 1)], R: [R(k, 1)], policies: [{ match: "*", whenDeleted: "respect", createOnly: true }] },
      [k, "keep create-only", undefined],
    ],
  ],
  "when-deleted × earlier": [
    [
      "what a recognised release shipped and is missing was deleted by the user, and stays out",
      { D: [D(k, 2)], earlier: { [k]: [1] }, policies: [{ match: "*", whenDeleted: "respect" }] },
      [k, "keep user-deleted", undefined, { state: "deleted", value: 1 }],
    ],
  ],
  "when-deleted × pending": [
    [
      "a conflict ended by deleting: put back as wanted, and nothing waits any more",
      { D: [D(k, { x: 2, y: 2 })], R: [R(k, { x: 2, y: 1 })] },
      [k, "restore", { x: 2, y: 2 }, { x: 2, y: 2 }],
    ],
  ],
  "when-edited × create-only": [
    [
      "never updated, also where edits are overwritten",
      {
        D: [D(k, 2)],
        R: [R(k, 1)],
        A: [A(k, 9)],
        policies: [{ match: "*", whenEdited: "overwrite", createOnly: true }],
      },
      [k, "keep create-only", 9],
    ],
  ],
  "when-edited × earlier": [
    [
      "an older default is no edit: brought up to date also where edits are kept",
      { D: [D(k, 2)], A: [A(k, 1)], earlier: { [k]: [1] }, policies: [{ match: "*", whenEdited: "keep" }] },
      [k, "update earlier-release", 2, 2],
    ],
    [
      "what no release shipped was there before us, and is not overwritten",
      { D: [D(k, 2)], A: [A(k, 9)], earlier: { [k]: [1] }, policies: [{ match: "*", whenEdited: "overwrite" }] },
      [k, "keep user-owned", 9],
    ],
  ],
  "when-edited × pending": [
    [
      "overwrite ends the waiting",
      {
        D: [D(k, { x: 2, y: 2 })],
        R: [R(k, { x: 2, y: 1 })],
        A: [A(k, { x: 2, y: 9 })],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [k, "update", { x: 2, y: 2 }, { x: 2, y: 2 }],
    ],
    [
      "keep: no longer a conflict, just an edit",
      {
        D: [D(k, { x: 2, y: 2 })],
        R: [R(k, { x: 2, y: 1 })],
        A: [A(k, { x: 2, y: 9 })],
        policies: [{ match: "*", whenEdited: "keep" }],
      },
      [k, "keep user-modified", { x: 2, y: 9 }],
    ],
  ],
  "create-only × earlier": [
    [
      "shipped by an earlier release: on record from now on, as that release had it, and never updated",
      { D: [D(k, 2)], A: [A(k, 1)], earlier: { [k]: [1] }, policies: [{ match: "*", createOnly: true }] },
      [k, "keep create-only", 1, 1],
    ],
  ],
  "create-only × pending": [
    [
      "nothing waits for what is never updated",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 9)], policies: [{ match: "*", createOnly: true }] },
      [k, "keep create-only", 9],
    ],
  ],
  "earlier × pending": [
    [
      "what is on record is asked first: going back to an older default by hand is an edit, and stays in conflict",
      { D: [D(k, 3)], R: [R(k, 2)], A: [A(k, 1)], earlier: { [k]: [1, 2] } },
      [k, "conflict both-changed", 1, 2],
    ],
  ],
};
