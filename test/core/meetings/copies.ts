import { claim } from "../entries.ts";
import type { Meetings } from "./meeting.ts";
import { A, D, k, moves, old, R, renamed, tombstone } from "./words.ts";

/** One entry there twice, with all that follow. */
export const copies: Meetings = {
  "dedupe × moved": [
    [
      "the first is renamed, its copy goes",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)], A: [A(old, 1), A(old, 1)] },
      [renamed, "move renamed", 1, 1, 1],
    ],
  ],
  "dedupe × tombstone": [
    [
      "re-added twice: both are the user's",
      { D: [D(k, 1)], R: [R(k, 1, "deleted")], A: [A(k, 1), A(k, 1)] },
      [k, "keep user-owned", 1],
    ],
  ],
  "dedupe × owners": [
    [
      "of a shared entry one stays, for both",
      { D: [D(k, 1)], R: [R(k, 1)], A: [A(k, 1), A(k, 1)], claims: [claim("other", k, 1)] },
      [k, "dedupe", 1, undefined, 1],
    ],
    [
      "whoever leaves first takes the copies along, and leaves the one",
      { R: [R(k, 1)], A: [A(k, 1), A(k, 1)], claims: [claim("other", k, 1)] },
      [k, "forget shared", 1, "drop", 1],
    ],
  ],
  "dedupe × comment": [
    [
      "a copy with a comment in it stays",
      { D: [D(k, [1])], R: [R(k, [1])], A: [A(k, [1]), A(k, [1], { comments: [[]] }), A(k, [1])] },
      [k, "dedupe", [1], undefined, 1],
    ],
    [
      "the first has the comment: it stays as the user's, and ours is the plain one",
      { D: [D(k, [1])], R: [R(k, [1])], A: [A(k, [1], { comments: [[]] }), A(k, [1])] },
      [k, "unchanged", [1]],
    ],
  ],
  "dedupe × locked": [
    [
      "a copy that can't be taken out stays",
      { D: [D(k, 1)], R: [R(k, 1)], A: [A(k, 1), A(k, 1, { fixed: "aliased" }), A(k, 1, { locked: "aliased" })] },
      [k, "unchanged", 1],
    ],
    [
      "the first is locked: it stays, and so do its copies",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 1, { locked: "aliased" }), A(k, 1)] },
      [k, "keep locked", 1],
    ],
  ],
  "dedupe × blocked":
    "of what can't be put in its place there is no copy; renamed into a place that is taken: moved × blocked",
  "dedupe × ignore": [
    [
      "a copy is what is just as recorded; one with another value in an ignored field is the user's",
      {
        D: [D(k, { x: 1, t: 5 })],
        R: [R(k, { x: 1, t: 5 })],
        A: [A(k, { x: 1, t: 60 }), A(k, { x: 1, t: 5 }), A(k, { x: 1, t: 61 })],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "unchanged", { x: 1, t: 5 }],
    ],
  ],
  "dedupe × when-deleted": [
    [
      "one of two deleted by hand: nothing is missing, no tombstone",
      { D: [D(k, 1)], R: [R(k, 1)], A: [A(k, 1)], policies: [{ match: "*", whenDeleted: "respect" }] },
      [k, "unchanged", 1],
    ],
    [
      "all of them deleted",
      { D: [D(k, 1)], R: [R(k, 1)], policies: [{ match: "*", whenDeleted: "respect" }] },
      [k, "keep user-deleted", undefined, tombstone(1)],
    ],
  ],
  "dedupe × when-edited": [
    [
      "overwrite: ours as wanted, and no copy of it; what was written beside it is no edit of it",
      {
        D: [D(k, 2)],
        R: [R(k, 1)],
        A: [A(k, 9), A(k, 1), A(k, 2)],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [k, "update", 2, 2, 1],
    ],
    [
      "keep: ours was not edited, whatever was written beside it",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 9), A(k, 1)], policies: [{ match: "*", whenEdited: "keep" }] },
      [k, "update", 2, 2],
    ],
  ],
  "dedupe × create-only": [
    [
      "kept as it is, with its copies",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 1), A(k, 1)], policies: [{ match: "*", createOnly: true }] },
      [k, "keep create-only", 1],
    ],
  ],
  "dedupe × earlier": [
    [
      "an install without records that had it twice: in one run up to date, and once",
      { D: [D(k, 2)], A: [A(k, 1), A(k, 1)], earlier: { [k]: [1] } },
      [k, "update earlier-release", 2, 2, 1],
    ],
    [
      "the same where nothing has changed since",
      { D: [D(k, 1)], A: [A(k, 1), A(k, 1)], earlier: { [k]: [1] } },
      [k, "adopt earlier-release", 1, 1, 1],
    ],
  ],
  "dedupe × pending": [
    [
      "no conflict where ours was not edited",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 9), A(k, 1)] },
      [k, "update", 2, 2],
    ],
    [
      "a copy as will be recorded goes too",
      { D: [D(k, { x: 2, y: 2 })], R: [R(k, { x: 1, y: 1 })], A: [A(k, { x: 1, y: 9 }), A(k, { x: 2, y: 1 })] },
      [k, "conflict both-changed", { x: 2, y: 9 }, { x: 2, y: 1 }, 1],
    ],
  ],
};
