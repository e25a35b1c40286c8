import { claim } from "../entries.ts";
import type { Meetings } from "./meeting.ts";
import { A, D, k, moves, old, R, renamed, tombstone } from "./words.ts";

/** Entries that the owner renames, with all that follow. */
export const renames: Meetings = {
  "moved × tombstone": [
    [
      "an opt-out travels along",
      { moves, D: [D(renamed, 1)], R: [R(old, 1, "deleted")] },
      [renamed, "keep user-deleted", undefined],
    ],
    [
      "so does what was handed over",
      { moves, D: [D(renamed, 1)], R: [R(old, 1, "disowned")], A: [A(old, 7)] },
      [renamed, "keep disowned", 7],
    ],
  ],
  "moved × owners": [
    [
      "another still wants it under the old name: it stays there, and the new one is this owner's own",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)], A: [A(old, 1)], claims: [claim("other", old, 1)] },
      [renamed, "create", 1, 1],
      [old, "forget shared", 1, "drop"],
    ],
    [
      "the user edited it: the edit can't be in both places, so nothing is done and both are named",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)], A: [A(old, 7)], claims: [claim("other", old, 1)] },
      [renamed, "conflict owners-differ", 7],
    ],
    [
      "the other renamed it already",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)], A: [A(renamed, 1)], claims: [claim("other", renamed, 1)] },
      [renamed, "adopt", 1, 1],
      [old, "forget", undefined, "drop"],
    ],
  ],
  "moved × comment": [
    [
      "renamed with the value the user commented; whether its bytes can go along is for the file to say",
      { moves, D: [D(renamed, [1])], R: [R(old, [1])], A: [A(old, [1], { comments: [[]] })] },
      [renamed, "move renamed", [1], [1]],
    ],
  ],
  "moved × locked": [
    [
      "what can't be taken out can't go elsewhere",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)], A: [A(old, 1, { fixed: "aliased" })] },
      [renamed, "keep locked", 1],
    ],
    [
      "nor what can't be edited",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)], A: [A(old, 1, { locked: "aliased" })] },
      [renamed, "keep locked", 1],
    ],
  ],
  "moved × blocked": [
    [
      "the new place is taken by something else: it stays in the old one",
      { moves, D: [D(renamed, 1, { blocked: "in the way" })], R: [R(old, 1)], A: [A(old, 1)] },
      [renamed, "keep blocked", 1],
    ],
    [
      "also when both changed it",
      { moves, D: [D(renamed, 2, { blocked: "in the way" })], R: [R(old, 1)], A: [A(old, 7)] },
      [renamed, "keep blocked", 7],
    ],
  ],
  "moved × ignore": [
    [
      "the user's value of an ignored field travels along",
      {
        moves,
        D: [D(renamed, { x: 2, t: 7 })],
        R: [R(old, { x: 1, t: 5 })],
        A: [A(old, { x: 1, t: 60 })],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [renamed, "move renamed", { x: 2, t: 60 }, { x: 2, t: 7 }],
    ],
  ],
  "moved × when-deleted": [
    [
      "deleted under the old name: put back under the new one",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)] },
      [renamed, "restore", 1, 1],
    ],
    [
      "or, where that is respected, a tombstone under the new one",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)], policies: [{ match: "*", whenDeleted: "respect" }] },
      [renamed, "keep user-deleted", undefined, tombstone(1)],
    ],
  ],
  "moved × when-edited": [
    [
      "overwrite: under the new name, as wanted",
      {
        moves,
        D: [D(renamed, 1)],
        R: [R(old, 1)],
        A: [A(old, 7)],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [renamed, "move renamed", 1, 1],
    ],
    [
      "keep: only the name changes",
      { moves, D: [D(renamed, 1)], R: [R(old, 1)], A: [A(old, 7)], policies: [{ match: "*", whenEdited: "keep" }] },
      [renamed, "move renamed", 7, 1],
    ],
    [
      "keep: a rename that comes with another value waits whole",
      { moves, D: [D(renamed, 2)], R: [R(old, 1)], A: [A(old, 7)], policies: [{ match: "*", whenEdited: "keep" }] },
      [renamed, "keep user-modified", 7],
    ],
  ],
  "moved × create-only": [
    [
      "the name is kept current, the user's value travels along",
      {
        moves,
        D: [D(renamed, 1)],
        R: [R(old, 1)],
        A: [A(old, 7)],
        policies: [{ match: "*", createOnly: true, whenEdited: "overwrite" }],
      },
      [renamed, "move renamed", 7, 1],
    ],
    [
      "a rename that comes with another value would be an update",
      { moves, D: [D(renamed, 2)], R: [R(old, 1)], A: [A(old, 1)], policies: [{ match: "*", createOnly: true }] },
      [renamed, "keep create-only", 1],
    ],
  ],
  "moved × earlier": [
    [
      "renamed since an install without records",
      { moves, D: [D(renamed, 1)], A: [A(old, 1)], earlier: { [old]: [1] } },
      [renamed, "move renamed", 1, 1],
    ],
    [
      "an entry re-added under the old name, just as it once was, is the user's",
      { moves, D: [D(renamed, 1)], R: [R(renamed, 1)], A: [A(renamed, 1), A(old, 1)], earlier: { [old]: [1] } },
      [renamed, "unchanged", 1],
    ],
    [
      "the new name is taken: the old one goes, as shipped and no longer wanted",
      { moves, D: [D(renamed, 1)], A: [A(old, 1), A(renamed, 5)], earlier: { [old]: [1] } },
      [renamed, "keep user-owned", 5],
      [old, "remove earlier-release", undefined, "drop"],
    ],
  ],
  "moved × pending": [
    [
      "renamed all the same; only the value waits",
      { moves, D: [D(renamed, 2)], R: [R(old, 1)], A: [A(old, 7)] },
      [renamed, "conflict both-changed", 7, 1],
    ],
    [
      "and goes on waiting under the new name",
      { moves, D: [D(renamed, 2)], R: [R(renamed, 1)], A: [A(renamed, 7)] },
      [renamed, "conflict both-changed", 7, 1],
    ],
    [
      "a conflict that waited is renamed by the next release",
      { moves: [...moves, { from: renamed, to: k }], D: [D(k, 3)], R: [R(renamed, 1)], A: [A(renamed, 7)] },
      [k, "conflict both-changed", 7, 1],
    ],
  ],
};
