import { claim } from "../entries.ts";
import type { Meetings } from "./meeting.ts";
import { A, D, k, moves, old, R, renamed, tombstone } from "./words.ts";

/** Taking over what is there, with all that follow. */
export const adopting: Meetings = {
  "adopt × dedupe": [
    [
      "of two, the one that is as its owner wants it is adopted, and the other stands",
      { D: [D(k, 1)], A: [A(k, 5), A(k, 1)], policies: [{ match: "*", whenPresent: "adopt" }] },
      [k, "adopt", 1, 1],
    ],
    [
      "without being asked nothing is adopted, and no copy goes",
      { D: [D(k, 1)], A: [A(k, 1), A(k, 1)] },
      [k, "keep user-owned", 1],
    ],
    ["the user did it already, twice", { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 2), A(k, 2)] }, [k, "adopt", 2, 2, 1]],
  ],
  "adopt × moved": [
    [
      "the new name is taken: that is adopted, and the old one goes",
      {
        moves,
        D: [D(renamed, 1)],
        R: [R(old, 1)],
        A: [A(old, 1), A(renamed, 5)],
        policies: [{ match: "*", whenPresent: "adopt" }],
      },
      [renamed, "adopt", 5, 1],
      [old, "remove", undefined, "drop"],
    ],
  ],
  "adopt × tombstone": [
    [
      "re-added by hand is the user's, also where what is present is adopted: a tombstone is asked for one by one",
      { D: [D(k, 1)], R: [R(k, 1, "deleted")], A: [A(k, 1)], policies: [{ match: "*", whenPresent: "adopt" }] },
      [k, "keep user-owned", 1],
    ],
  ],
  "adopt × owners": [
    [
      "what another owner wants to stay is not the user's to be adopted: the two differ, and are named",
      { D: [D(k, 2)], A: [A(k, 1)], claims: [claim("other", k, 1)], policies: [{ match: "*", whenPresent: "adopt" }] },
      [k, "conflict owners-differ", 1],
    ],
    [
      "equal wishes share it, also after the user's edit",
      { D: [D(k, 1)], A: [A(k, 7)], claims: [claim("other", k, 1)] },
      [k, "adopt", 7, 1],
    ],
  ],
  "adopt × comment": [
    [
      "adopted with the comment in it, which counts as an edit from then on",
      { D: [D(k, [1])], A: [A(k, [1], { comments: [[]] })], policies: [{ match: "*", whenPresent: "adopt" }] },
      [k, "adopt", [1], [1]],
    ],
  ],
  "adopt × locked": [
    [
      "adopting writes no byte, so it may",
      { D: [D(k, 1)], A: [A(k, 5, { locked: "aliased" })], policies: [{ match: "*", whenPresent: "adopt" }] },
      [k, "adopt", 5, 1],
    ],
  ],
  "adopt × blocked": [
    [
      "something in the way is not the entry, and is not adopted for it",
      { D: [D(k, 1, { blocked: "in the way" })], policies: [{ match: "*", whenPresent: "adopt" }] },
      [k, "keep blocked", undefined],
    ],
  ],
  "adopt × ignore": [
    [
      "differs in an ignored field only: as wanted, and still the user's, also among what is managed already",
      {
        D: [D(k, { x: 1, t: 5 }), D("setting:b", 1)],
        R: [R("setting:b", 1)],
        A: [A(k, { x: 1, t: 60 }), A("setting:b", 1)],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [k, "keep user-owned", { x: 1, t: 60 }],
      ["setting:b", "unchanged", 1],
    ],
  ],
  "adopt × when-deleted": [
    [
      "adopted, then deleted: a tombstone as for any",
      { D: [D(k, 1)], R: [R(k, 1)], policies: [{ match: "*", whenPresent: "adopt", whenDeleted: "respect" }] },
      [k, "keep user-deleted", undefined, tombstone(1)],
    ],
  ],
  "adopt × when-edited": [
    [
      "where edits are overwritten, what is adopted is overwritten at once, not by the run after",
      { D: [D(k, 1)], A: [A(k, 5)], policies: [{ match: "*", whenPresent: "adopt", whenEdited: "overwrite" }] },
      [k, "update", 1, 1],
    ],
    [
      "unless it is as wanted already",
      { D: [D(k, 1)], A: [A(k, 1)], policies: [{ match: "*", whenPresent: "adopt", whenEdited: "overwrite" }] },
      [k, "adopt", 1, 1],
    ],
    [
      "keep: adopted and left alone",
      { D: [D(k, 1)], A: [A(k, 5)], policies: [{ match: "*", whenPresent: "adopt", whenEdited: "keep" }] },
      [k, "adopt", 5, 1],
    ],
  ],
  "adopt × create-only": [
    [
      "adopted, and never updated, whatever happens to edits",
      {
        D: [D(k, 1)],
        A: [A(k, 5)],
        policies: [{ match: "*", whenPresent: "adopt", whenEdited: "overwrite", createOnly: true }],
      },
      [k, "adopt", 5, 1],
    ],
  ],
  "adopt × earlier": [
    [
      "what an earlier release shipped is not the user's: brought up to date, not adopted as an edit",
      { D: [D(k, 2)], A: [A(k, 1)], earlier: { [k]: [1] }, policies: [{ match: "*", whenPresent: "adopt" }] },
      [k, "update earlier-release", 2, 2],
    ],
  ],
  "adopt × pending": [
    [
      "the policy is about what is not on record: a conflict is settled by a person",
      { D: [D(k, 2)], R: [R(k, 1)], A: [A(k, 9)], policies: [{ match: "*", whenPresent: "adopt" }] },
      [k, "conflict both-changed", 9, 1],
    ],
    [
      "a person who writes what is wanted has settled it",
      { D: [D(k, { x: 2, y: 2 })], R: [R(k, { x: 2, y: 1 })], A: [A(k, { x: 2, y: 2 })] },
      [k, "adopt", { x: 2, y: 2 }, { x: 2, y: 2 }],
    ],
  ],
};
