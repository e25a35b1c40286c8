import { claim } from "../entries.ts";
import type { Meetings } from "./meeting.ts";
import { A, D, k, R, tombstone } from "./words.ts";

/** What the user took out, and what several owners want, with all that follow. */
export const optOutsAndOwners: Meetings = {
  "tombstone × owners": [
    [
      "another owner has it there: for this one it stays out of sight",
      { D: [D(k, 1)], R: [R(k, 1, "deleted")], A: [A(k, 1)], claims: [claim("other", k, 1)] },
      [k, "keep user-owned", 1],
    ],
    [
      "no longer wanted: the tombstone stays, unmentioned",
      { R: [R(k, 1, "deleted")], A: [A(k, 1)], claims: [claim("other", k, 1)] },
    ],
  ],
  "tombstone × comment": [
    [
      "re-added with a comment: the user's like any re-added one",
      { D: [D(k, 2)], R: [R(k, 1, "deleted")], A: [A(k, 1, { comments: [[]] })] },
      [k, "keep user-owned", 1],
    ],
  ],
  "tombstone × locked": [
    [
      "re-added and locked: it would not be edited anyway",
      { D: [D(k, 2)], R: [R(k, 1, "deleted")], A: [A(k, 1, { locked: "aliased" })] },
      [k, "keep user-owned", 1],
    ],
  ],
  "tombstone × blocked": [
    [
      "what stays out needs no place",
      { D: [D(k, 2, { blocked: "in the way" })], R: [R(k, 1, "deleted")] },
      [k, "keep user-deleted", undefined],
    ],
  ],
  "tombstone × ignore": [
    [
      "re-added with another value in an ignored field",
      {
        D: [D(k, { x: 2, t: 5 })],
        R: [R(k, { x: 1, t: 5 }, "deleted")],
        A: [A(k, { x: 1, t: 60 })],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "keep user-owned", { x: 1, t: 60 }],
    ],
  ],
  "tombstone × when-deleted": [
    [
      "it outlives the policy that made it",
      { D: [D(k, 1)], R: [R(k, 1, "deleted")], policies: [{ match: "*", whenDeleted: "restore" }] },
      [k, "keep user-deleted", undefined],
    ],
  ],
  "tombstone × when-edited": [
    [
      "re-added is not edited: overwrite is not about it",
      { D: [D(k, 1)], R: [R(k, 1, "deleted")], A: [A(k, 9)], policies: [{ match: "*", whenEdited: "overwrite" }] },
      [k, "keep user-owned", 9],
    ],
  ],
  "tombstone × create-only": [
    [
      "neither puts it back",
      { D: [D(k, 1)], R: [R(k, 1, "deleted")], policies: [{ match: "*", createOnly: true }] },
      [k, "keep user-deleted", undefined],
    ],
  ],
  "tombstone × earlier": [
    [
      "re-added just as an earlier release shipped it: the user's all the same",
      { D: [D(k, 2)], R: [R(k, 2, "deleted")], A: [A(k, 1)], earlier: { [k]: [1] } },
      [k, "keep user-owned", 1],
    ],
  ],
  "tombstone × pending": [
    [
      "a conflict that the user ends by deleting the entry",
      { D: [D(k, { x: 2, y: 2 })], R: [R(k, { x: 2, y: 1 })], policies: [{ match: "*", whenDeleted: "respect" }] },
      [k, "keep user-deleted", undefined, tombstone({ x: 2, y: 1 })],
    ],
  ],
  "owners × comment": [
    [
      "a shared entry with a comment in it: who leaves leaves it",
      { R: [R(k, [1])], A: [A(k, [1], { comments: [[]] })], claims: [claim("other", k, [1])] },
      [k, "forget shared", [1], "drop"],
    ],
  ],
  "owners × locked": [
    [
      "both want the new value, and it can't be written",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 1, { locked: "aliased" })], claims: [claim("other", k, 2, 1)] },
      [k, "keep locked", 1],
    ],
    [
      "sharing it writes nothing",
      { D: [D(k, 1)], A: [A(k, 1, { locked: "aliased" })], claims: [claim("other", k, 1)] },
      [k, "adopt", 1, 1],
    ],
  ],
  "owners × blocked": [
    [
      "what the other had there was deleted, and something is in the way now",
      { D: [D(k, 1, { blocked: "in the way" })], claims: [claim("other", k, 1)] },
      [k, "keep blocked", undefined],
    ],
  ],
  "owners × ignore": [
    [
      "wishes that differ in an ignored field only do not differ",
      {
        D: [D(k, { x: 2, t: 7 })],
        R: [R(k, { x: 1, t: 5 })],
        A: [A(k, { x: 1, t: 60 })],
        claims: [claim("other", k, { x: 2, t: 5 }, { x: 1, t: 5 })],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "update", { x: 2, t: 60 }, { x: 2, t: 7 }],
    ],
  ],
  "owners × when-deleted": [
    [
      "a shared entry the user took out stays out for the owner that respects it, whatever the other does",
      {
        D: [D(k, 1)],
        R: [R(k, 1)],
        claims: [claim("other", k, 1)],
        policies: [{ match: "*", whenDeleted: "respect" }],
      },
      [k, "keep user-deleted", undefined, tombstone(1)],
    ],
    [
      "with nothing there no wish stands against another: the first to come writes its own",
      { D: [D(k, 2)], R: [R(k, 1)], claims: [claim("other", k, 1)] },
      [k, "restore", 2, 2],
    ],
  ],
  "owners × when-edited": [
    [
      "overwrite is about the user's edits, not about another owner's wish",
      {
        D: [D(k, 2)],
        R: [R(k, 2)],
        A: [A(k, 1)],
        claims: [claim("other", k, 1)],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [k, "conflict owners-differ", 1],
    ],
    [
      "nobody stands against it",
      {
        D: [D(k, 2)],
        R: [R(k, 1)],
        A: [A(k, 9)],
        claims: [claim("other", k, 2, 1)],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [k, "update", 2, 2],
    ],
    [
      "joining another's wish where edits are overwritten: at once",
      {
        D: [D(k, 1)],
        A: [A(k, 7)],
        claims: [claim("other", k, 1)],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [k, "update", 1, 1],
    ],
  ],
  "owners × create-only": [
    [
      "what is never updated contradicts nobody",
      {
        D: [D(k, 2)],
        R: [R(k, 1)],
        A: [A(k, 1)],
        claims: [claim("other", k, 1)],
        policies: [{ match: "*", createOnly: true }],
      },
      [k, "keep create-only", 1],
    ],
  ],
  "owners × earlier": [
    [
      "shipped by an earlier release of this one, and on record for another that wants it to stay",
      { D: [D(k, 2)], A: [A(k, 1)], earlier: { [k]: [1] }, claims: [claim("other", k, 1)] },
      [k, "conflict owners-differ", 1, 1],
    ],
    [
      "the other wants the same new value",
      { D: [D(k, 2)], A: [A(k, 1)], earlier: { [k]: [1] }, claims: [claim("other", k, 2, 1)] },
      [k, "update earlier-release", 2, 2],
    ],
  ],
  "owners × pending": [
    [
      "changed by the user and by both owners alike: a conflict with the user only",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 9)], claims: [claim("other", k, 2, 1)] },
      [k, "conflict both-changed", 9, 1],
    ],
    [
      "changed by the user, and wanted differently: the owners are named first",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 9)], claims: [claim("other", k, 1)] },
      [k, "conflict owners-differ", 9],
    ],
  ],
};
