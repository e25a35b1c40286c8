import { claim } from "../entries.ts";
import type { Meetings } from "./meeting.ts";
import { A, D, k, moves, old, R, renamed } from "./words.ts";

/** Two changes of one value, with all that follow. */
export const merging: Meetings = {
  "merge × adopt": [
    [
      "what differed when it was adopted is an edit like any other: the rest is kept current",
      {
        D: [D(k, { x: 2, y: 1 })],
        R: [R(k, { x: 1, y: 1 })],
        A: [A(k, { x: 1, y: 5 })],
        policies: [{ match: "*", whenPresent: "adopt" }],
      },
      [k, "merge", { x: 2, y: 5 }, { x: 2, y: 1 }],
    ],
  ],
  "merge × dedupe": [
    [
      "ours, as it was shipped, is updated; one that differs was written beside it and stands",
      { D: [D(k, { x: 2, y: 1 })], R: [R(k, { x: 1, y: 1 })], A: [A(k, { x: 1, y: 5 }), A(k, { x: 1, y: 1 })] },
      [k, "update", { x: 2, y: 1 }, { x: 2, y: 1 }],
    ],
  ],
  "merge × moved": [
    [
      "edits of one field and a new default of another meet under the new key",
      { moves, D: [D(renamed, { x: 2, y: 1 })], R: [R(old, { x: 1, y: 1 })], A: [A(old, { x: 1, y: 5 })] },
      [renamed, "move renamed", { x: 2, y: 5 }, { x: 2, y: 1 }],
    ],
  ],
  "merge × tombstone": [
    [
      "re-added by hand it is the user's whole: no field is merged into it",
      { D: [D(k, { x: 2, y: 1 })], R: [R(k, { x: 1, y: 1 }, "deleted")], A: [A(k, { x: 1, y: 5 })] },
      [k, "keep user-owned", { x: 1, y: 5 }],
    ],
  ],
  "merge × owners": [
    [
      "no field is merged while another owner wants the old value",
      { D: [D(k, { x: 2 })], R: [R(k, { x: 1 })], A: [A(k, { x: 1, y: 5 })], claims: [claim("other", k, { x: 1 })] },
      [k, "conflict owners-differ", { x: 1, y: 5 }],
    ],
    [
      "both want the new one: merged with the user's field",
      {
        D: [D(k, { x: 2 })],
        R: [R(k, { x: 1 })],
        A: [A(k, { x: 1, y: 5 })],
        claims: [claim("other", k, { x: 2 }, { x: 1 })],
      },
      [k, "merge", { x: 2, y: 5 }, { x: 2 }],
    ],
  ],
  "merge × comment": [
    [
      "a comment in a list holds up that list only",
      { D: [D(k, { l: [2], x: 2 })], R: [R(k, { l: [1], x: 1 })], A: [A(k, { l: [1], x: 1 }, { comments: [["l"]] })] },
      [k, "conflict both-changed", { l: [1], x: 2 }, { l: [1], x: 2 }],
    ],
  ],
  "merge × locked": [
    [
      "what would merge stays",
      { D: [D(k, { x: 2, y: 1 })], R: [R(k, { x: 1, y: 1 })], A: [A(k, { x: 1, y: 5 }, { locked: "aliased" })] },
      [k, "keep locked", { x: 1, y: 5 }],
    ],
  ],
  "merge × blocked": "merging takes an entry that is there; nothing is in the way of that",
  "merge × ignore": [
    [
      "an ignored field both changed is no conflict: the user's, and the rest merges",
      {
        D: [D(k, { x: 2, t: 7 })],
        R: [R(k, { x: 1, t: 5 })],
        A: [A(k, { x: 1, t: 60, y: 5 })],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "merge", { x: 2, y: 5, t: 60 }, { x: 2, t: 7 }],
    ],
  ],
  "merge × when-deleted": [
    [
      "the policy is about whole entries; a field the user took out stays out by merging",
      {
        D: [D(k, { x: 2, y: 1 })],
        R: [R(k, { x: 1, y: 1 })],
        A: [A(k, { x: 1 })],
        policies: [{ match: "*", whenDeleted: "restore" }],
      },
      [k, "merge", { x: 2 }, { x: 2, y: 1 }],
    ],
  ],
  "merge × when-edited": [
    [
      "keep: not even fields that would merge",
      {
        D: [D(k, { x: 2, y: 1 })],
        R: [R(k, { x: 1, y: 1 })],
        A: [A(k, { x: 1, y: 5 })],
        policies: [{ match: "*", whenEdited: "keep" }],
      },
      [k, "keep user-modified", { x: 1, y: 5 }],
    ],
    [
      "overwrite: also fields that only the user changed",
      {
        D: [D(k, { x: 2, y: 1 })],
        R: [R(k, { x: 1, y: 1 })],
        A: [A(k, { x: 1, y: 5 })],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [k, "update", { x: 2, y: 1 }, { x: 2, y: 1 }],
    ],
  ],
  "merge × create-only": [
    [
      "never updated, also in fields that would merge",
      {
        D: [D(k, { x: 2, y: 1 })],
        R: [R(k, { x: 1, y: 1 })],
        A: [A(k, { x: 1, y: 5 })],
        policies: [{ match: "*", createOnly: true }],
      },
      [k, "keep create-only", { x: 1, y: 5 }],
    ],
  ],
  "merge × earlier": [
    [
      "the earlier release is the base: a comment beside a field does not hold up another field",
      {
        D: [D(k, { l: [1], x: 2 })],
        A: [A(k, { l: [1], x: 1 }, { comments: [["l"]] })],
        earlier: { [k]: [{ l: [1], x: 1 }] },
      },
      [k, "merge earlier-release", { l: [1], x: 2 }, { l: [1], x: 2 }],
    ],
  ],
  "merge × pending": [
    [
      "one field waits, another merges, and the one that waits keeps its old base",
      { D: [D(k, { x: 3, y: 2 })], R: [R(k, { x: 2, y: 1 })], A: [A(k, { x: 2, y: 9 })] },
      [k, "conflict both-changed", { x: 3, y: 9 }, { x: 3, y: 1 }],
    ],
  ],
};
