import { claim } from "../entries.ts";
import type { Meetings } from "./meeting.ts";
import { A, D, fast, hook, plain, R, wrapped } from "./words.ts";

/** What becomes of an entry whose key was edited, with all that follow. */
export const pairing: Meetings = {
  "pairing × merge": [
    [
      "a wrapped command still gets the timeout that only the framework changed",
      { D: [D(plain, hook(plain, 10))], R: [R(plain, hook(plain))], A: [A(wrapped, hook(wrapped))] },
      [plain, "merge", hook(wrapped, 10), hook(plain, 10)],
    ],
  ],
  "pairing × adopt": [
    [
      "adopting goes by the exact key: only what is on record is looked for under its weaker one",
      { D: [D(plain, 1)], A: [A(wrapped, 2)], policies: [{ match: "*", whenPresent: "adopt" }] },
      [plain, "create", 1, 1],
    ],
    [
      "what was adopted and then wrapped is still the same hook",
      { D: [D(plain, 1)], R: [R(plain, 1)], A: [A(wrapped, 7)], policies: [{ match: "*", whenPresent: "adopt" }] },
      [plain, "keep user-modified", 7],
    ],
  ],
  "pairing × dedupe": [
    [
      "a wrapped command written twice is two candidates: a conflict, and neither goes",
      { D: [D(plain, 1)], R: [R(plain, 1)], A: [A(wrapped, 2), A(wrapped, 2)] },
      [plain, "conflict ambiguous", undefined],
    ],
    [
      "a wrapped one beside the shipped one is the user's own, not a copy",
      { D: [D(plain, 1)], R: [R(plain, 1)], A: [A(plain, 1), A(wrapped, 1), A(plain, 1)] },
      [plain, "dedupe", 1, undefined, 1],
    ],
  ],
  "pairing × moved": [
    [
      "the framework names another script, the user had wrapped the old one: one hook, and they disagree on the command only",
      {
        moves: [{ from: plain, to: "hook:Stop:node y.js" }],
        D: [D("hook:Stop:node y.js", hook("hook:Stop:node y.js", 9))],
        R: [R(plain, hook(plain))],
        A: [A(wrapped, hook(wrapped))],
      },
      ["hook:Stop:node y.js", "conflict both-changed", hook(wrapped, 9), hook(plain, 9)],
    ],
  ],
  "pairing × tombstone": [
    [
      "what the user took out does not come back because the framework adds an option",
      { D: [D(fast, 2)], R: [R(plain, 1, "deleted")] },
      [fast, "keep user-deleted", undefined],
    ],
    [
      "nor does what was handed over get a twin",
      { D: [D(fast, 2)], R: [R(plain, 1, "disowned")], A: [A(plain, 7)] },
      [fast, "keep disowned", 7],
    ],
    [
      "a tombstone does not stand in the way of a rename of what is still managed",
      { D: [D(fast, hook(fast))], R: [R(plain, hook(plain)), R(wrapped, 1, "deleted")], A: [A(plain, hook(plain))] },
      [fast, "move renamed", hook(fast), hook(fast)],
    ],
    [
      "a wrapped command is no re-added one",
      { D: [D(plain, 1)], R: [R(plain, 1, "deleted")], A: [A(wrapped, 2)] },
      [plain, "keep user-deleted", undefined],
    ],
  ],
  "pairing × owners": [
    [
      "a shared hook that the user wrapped stays while the other claims it",
      { R: [R(plain, 1)], A: [A(wrapped, 2)], claims: [claim("other", plain, 1)] },
      [plain, "forget shared", 2, "drop"],
    ],
    [
      "and is not changed against the other's wish",
      {
        D: [D(plain, hook(plain, 9))],
        R: [R(plain, hook(plain))],
        A: [A(wrapped, hook(wrapped))],
        claims: [claim("other", plain, hook(plain))],
      },
      [plain, "conflict owners-differ", hook(wrapped)],
    ],
    [
      "what another claims under its own key is no candidate",
      { D: [D(plain, 1)], R: [R(plain, 1)], A: [A(wrapped, 2)], claims: [claim("other", wrapped, 2)] },
      [plain, "restore", 1, 1],
    ],
    [
      "an option that only this framework adds makes a hook of its own",
      { D: [D(fast, 2)], R: [R(plain, 1)], A: [A(plain, 1)], claims: [claim("other", plain, 1)] },
      [fast, "create", 2, 2],
      [plain, "forget shared", 1, "drop"],
    ],
  ],
  "pairing × comment": [
    [
      "wrapped and commented: what the framework changed beside it still comes",
      { D: [D(plain, hook(plain, 9))], R: [R(plain, hook(plain))], A: [A(wrapped, hook(wrapped), { comments: [[]] })] },
      [plain, "merge", hook(wrapped, 9), hook(plain, 9)],
    ],
  ],
  "pairing × locked": [
    [
      "found again, and can't be edited",
      {
        D: [D(plain, hook(plain, 9))],
        R: [R(plain, hook(plain))],
        A: [A(wrapped, hook(wrapped), { locked: "aliased" })],
      },
      [plain, "keep locked", hook(wrapped)],
    ],
    [
      "found again, and can't be taken out to where its owner wants it",
      {
        D: [D(plain, 1)],
        R: [R(plain, 1)],
        A: [A(wrapped, 2, { fixed: "aliased" })],
        policies: [{ match: "*", whenEdited: "overwrite" }],
      },
      [plain, "keep locked", 2],
    ],
  ],
  "pairing × blocked":
    "what is found again stands there, so nothing is in its way; renamed into a place that is taken: moved × blocked",
  "pairing × ignore": [
    [
      "wrapped, and an ignored field changed by both: nothing to merge",
      {
        D: [D(plain, hook(plain, 9))],
        R: [R(plain, hook(plain))],
        A: [A(wrapped, hook(wrapped, 60))],
        policies: [{ match: "*", ignore: ["t"] }],
      },
      [plain, "keep user-modified", hook(wrapped, 60)],
    ],
  ],
  "pairing × when-deleted": [
    [
      "wrapped is not deleted: no tombstone",
      { D: [D(plain, 1)], R: [R(plain, 1)], A: [A(wrapped, 2)], policies: [{ match: "*", whenDeleted: "respect" }] },
      [plain, "keep user-modified", 2],
    ],
    [
      "nor is what may be either of two",
      {
        D: [D(plain, 1)],
        R: [R(plain, 1)],
        A: [A(wrapped, 2), A("hook:Stop:time node x.js", 3)],
        policies: [{ match: "*", whenDeleted: "respect" }],
      },
      [plain, "conflict ambiguous", undefined],
    ],
  ],
  "pairing × when-edited": [
    [
      "overwrite undoes the wrapping",
      { D: [D(plain, 1)], R: [R(plain, 1)], A: [A(wrapped, 2)], policies: [{ match: "*", whenEdited: "overwrite" }] },
      [plain, "move renamed", 1, 1],
    ],
    [
      "keep keeps it, with all its fields",
      {
        D: [D(plain, hook(plain, 9))],
        R: [R(plain, hook(plain))],
        A: [A(wrapped, hook(wrapped))],
        policies: [{ match: "*", whenEdited: "keep" }],
      },
      [plain, "keep user-modified", hook(wrapped)],
    ],
  ],
  "pairing × create-only": [
    [
      "wrapped, and never updated anyway",
      { D: [D(plain, 9)], R: [R(plain, 1)], A: [A(wrapped, 2)], policies: [{ match: "*", createOnly: true }] },
      [plain, "keep create-only", 2],
    ],
  ],
  "pairing × earlier": [
    [
      "an option added since an install without records is a change of that hook, not a second one",
      { D: [D(fast, hook(fast))], A: [A(plain, hook(plain))], earlier: { [plain]: [hook(plain)] } },
      [fast, "move renamed", hook(fast), hook(fast)],
    ],
    [
      "with two of them nobody knows which it was: both go, as shipped and no longer wanted",
      { D: [D(fast, 2)], A: [A(plain, 1), A(wrapped, 1)], earlier: { [plain]: [1], [wrapped]: [1] } },
      [wrapped, "remove earlier-release", undefined, "drop"],
      [fast, "create", 2, 2],
      [plain, "remove earlier-release", undefined, "drop"],
    ],
  ],
  "pairing × pending": [
    [
      "a command both changed waits under the old key, and the next release's timeout still comes",
      { D: [D(fast, hook(fast, 9))], R: [R(plain, hook(plain))], A: [A(wrapped, hook(wrapped))] },
      [fast, "conflict both-changed", hook(wrapped, 9), hook(plain, 9)],
    ],
  ],
};
