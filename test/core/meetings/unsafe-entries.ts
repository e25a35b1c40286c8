import type { Meetings } from "./meeting.ts";
import { A, D, k, R, tombstone } from "./words.ts";

/** Comments, and entries that can't be edited or put in their place, with all that follow. */
export const unsafeEntries: Meetings = {
  "comment × locked": [
    [
      "the user's, and locked: nothing would be written anyway",
      { D: [D(k, [2])], R: [R(k, [1])], A: [A(k, [1], { comments: [[]], locked: "aliased" })] },
      [k, "conflict both-changed", [1], [1]],
    ],
  ],
  "comment × blocked": "what is not there holds no comment",
  "comment × ignore": [
    [
      "a comment in an ignored field is a person's too: the entry is not taken out with it",
      {
        R: [R(k, { t: [1] })],
        A: [A(k, { t: [1] }, { comments: [["t"]] })],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "keep obsolete-modified", { t: [1] }],
    ],
    [
      "and does not hold up the other fields",
      {
        D: [D(k, { x: 2, t: [2] })],
        R: [R(k, { x: 1, t: [1] })],
        A: [A(k, { x: 1, t: [1] }, { comments: [["t"]] })],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "merge", { x: 2, t: [1] }, { x: 2, t: [1] }],
    ],
  ],
  "comment × when-deleted": "what was deleted holds no comment; one beside it is the format's to keep",
  "comment × when-edited": [
    [
      "a comment alone is nothing to overwrite: it stands, and so does the value",
      {
        D: [D(k, [1])],
        R: [R(k, [1])],
        A: [A(k, [1], { comments: [[]] })],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [k, "keep user-modified", [1]],
    ],
    [
      "keep: the new value does not come",
      {
        D: [D(k, [2])],
        R: [R(k, [1])],
        A: [A(k, [1], { comments: [[]] })],
        policies: [{ match: "*", whenEdited: "keep" }],
      },
      [k, "keep user-modified", [1]],
    ],
  ],
  "comment × create-only": [
    [
      "never updated, commented or not",
      {
        D: [D(k, [2])],
        R: [R(k, [1])],
        A: [A(k, [1], { comments: [[]] })],
        policies: [{ match: "*", createOnly: true }],
      },
      [k, "keep create-only", [1]],
    ],
  ],
  "comment × earlier": [
    [
      "shipped by an earlier release and commented since: on record from now on, and the user's edit",
      { D: [D(k, [1])], A: [A(k, [1], { comments: [[]] })], earlier: { [k]: [[1]] } },
      [k, "keep user-modified", [1], [1]],
    ],
  ],
  "comment × pending": [
    [
      "a new value for a list with a comment in it waits",
      { D: [D(k, [2])], R: [R(k, [1])], A: [A(k, [1], { comments: [[]] })] },
      [k, "conflict both-changed", [1], [1]],
    ],
    ["until the comment is gone", { D: [D(k, [2])], R: [R(k, [1])], A: [A(k, [1])] }, [k, "update", [2], [2]]],
  ],
  "locked × blocked":
    "an entry is there and locked, or not there and blocked; a locked container is one way of being blocked",
  "locked × ignore": [
    [
      "only an ignored field differs: nothing to write, nothing to say",
      {
        D: [D(k, { x: 1, t: 7 })],
        R: [R(k, { x: 1, t: 5 })],
        A: [A(k, { x: 1, t: 60 }, { locked: "aliased" })],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "unchanged", { x: 1, t: 60 }],
    ],
  ],
  "locked × when-deleted": "what was deleted is not there to be locked",
  "locked × when-edited": [
    [
      "overwrite would, and can't",
      {
        D: [D(k, 1)],
        R: [R(k, 1)],
        A: [A(k, 9, { locked: "aliased" })],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [k, "keep locked", 9],
    ],
  ],
  "locked × create-only": [
    [
      "would not be updated anyway",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 1, { locked: "aliased" })], policies: [{ match: "*", createOnly: true }] },
      [k, "keep create-only", 1],
    ],
  ],
  "locked × earlier": [
    [
      "shipped by an earlier release, and can't be brought up to date",
      { D: [D(k, 2)], A: [A(k, 1, { locked: "aliased" })], earlier: { [k]: [1] } },
      [k, "keep locked", 1, 1],
    ],
  ],
  "locked × pending": [
    [
      "with one field in conflict the other can't be merged either; the base stays as it was",
      { D: [D(k, { x: 2, y: 2 })], R: [R(k, { x: 1, y: 1 })], A: [A(k, { x: 1, y: 9 }, { locked: "aliased" })] },
      [k, "keep locked", { x: 1, y: 9 }],
    ],
  ],
  "blocked × ignore": [
    [
      "an ignored field does not clear the way",
      { D: [D(k, { t: 1 }, { blocked: "in the way" })], policies: [{ match: "*", ignore: ["t"] }] },
      [k, "keep blocked", undefined],
    ],
  ],
  "blocked × when-deleted": [
    [
      "the user replaced what it stood in: to be put back, and can't",
      { D: [D(k, 1, { blocked: "in the way" })], R: [R(k, 1)] },
      [k, "keep blocked", undefined],
    ],
    [
      "where deleting is respected, that was deleting",
      { D: [D(k, 1, { blocked: "in the way" })], R: [R(k, 1)], policies: [{ match: "*", whenDeleted: "respect" }] },
      [k, "keep user-deleted", undefined, tombstone(1)],
    ],
  ],
  "blocked × when-edited": [
    [
      "overwrite is about the entry, not about what stands in its place",
      { D: [D(k, 1, { blocked: "in the way" })], R: [R(k, 1)], policies: [{ match: "*", whenEdited: "overwrite" }] },
      [k, "keep blocked", undefined],
    ],
  ],
  "blocked × create-only": [
    [
      "not there yet, and no place for it",
      { D: [D(k, 1, { blocked: "in the way" })], policies: [{ match: "*", createOnly: true }] },
      [k, "keep blocked", undefined],
    ],
    [
      "was there once: not put back anyway",
      { D: [D(k, 1, { blocked: "in the way" })], R: [R(k, 1)], policies: [{ match: "*", createOnly: true }] },
      [k, "keep create-only", undefined],
    ],
  ],
  "blocked × earlier": [
    [
      "an earlier release shipped it, but it is not there and has no place",
      { D: [D(k, 2, { blocked: "in the way" })], earlier: { [k]: [1] } },
      [k, "keep blocked", undefined, 1],
    ],
  ],
  "blocked × pending": [
    [
      "the user replaced what a waiting conflict stood in: it waits on, with its old base",
      { D: [D(k, { x: 2, y: 2 }, { blocked: "in the way" })], R: [R(k, { x: 2, y: 1 })] },
      [k, "keep blocked", undefined],
    ],
  ],
};
