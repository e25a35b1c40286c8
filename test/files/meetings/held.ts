import { hook } from "../world.ts";
import {
  disown,
  edit,
  type FileMeetings,
  type FileStory,
  other,
  policy,
  rollback,
  type Step,
  ship,
  shipYaml,
  unhold,
  write,
} from "./story.ts";

const [plain, fast] = [hook("Stop", "node x.js", { t: 5 }), hook("Stop", "node --fast x.js", { t: 5 })];

/**
 * Two releases, of which the second was rolled back from and is held; then what the user does; then the second again,
 * and at last by force.
 */
function story(
  text: string,
  [first, second, more = {}]: readonly [object, object, object?],
  user: readonly Step[],
  held: Record<string, string>,
  stays: FileStory[3],
  forced: Record<string, string>,
  then: FileStory[3],
): FileStory[] {
  const before = [ship("1", first, more), ship("2", second, more), rollback, ...user, ship("2", second, more)];
  return [
    [`held: ${text}`, before, held, stays],
    [`no longer held: ${text}`, [...before, unhold("2", second, more)], forced, then],
  ];
}

const one = (verdict: string, key = "setting:a") => ({ [key]: verdict });

/** A held version changes nothing, whatever it would do; once it is no longer held it does what any release does. */
export const held: FileMeetings = {
  "pairing × held": story(
    "an option for a hook that the user wrapped",
    [{ hooks: [plain] }, { hooks: [fast] }],
    [edit("node x", "nice node x")],
    one("keep held", "hook:Stop:node --fast x.js"),
    { hooks: [hook("Stop", "nice node x.js", { t: 5 })] },
    one("conflict both-changed", "hook:Stop:node --fast x.js"),
    { hooks: [hook("Stop", "nice node x.js", { t: 5 })] },
  ),
  "merge × held": story(
    "a field of an entry the user edited",
    [{ hooks: [{ ...plain, u: 1 }] }, { hooks: [{ ...plain, u: 2 }] }],
    [edit('"t": 5', '"t": 60')],
    one("keep held", "hook:Stop:node x.js"),
    { hooks: [{ ...plain, t: 60, u: 1 }] },
    one("merge", "hook:Stop:node x.js"),
    { hooks: [{ ...plain, t: 60, u: 2 }] },
  ),
  "adopt × held": story(
    "an entry that is to be adopted where it is present",
    [{ b: 1 }, { a: 1, b: 1 }, policy({ "when-present": "adopt" })],
    [edit("{", '{ "a": 5,')],
    { "setting:a": "keep held", "setting:b": "unchanged" },
    { a: 5, b: 1 },
    { "setting:a": "adopt", "setting:b": "unchanged" },
    { a: 5, b: 1 },
  ),
  "dedupe × held": story(
    "a copy",
    [{ hooks: [plain] }, { hooks: [plain], b: 1 }],
    [write({ hooks: [plain, plain] })],
    { "hook:Stop:node x.js": "keep held", "setting:b": "keep held" },
    { hooks: [plain, plain] },
    { "hook:Stop:node x.js": "dedupe", "setting:b": "create" },
    { hooks: [plain], b: 1 },
  ),
  "moved × held": story(
    "a rename",
    [{ old: 1 }, { new: 1 }, { moved: [{ from: "setting:old", to: "setting:new" }] }],
    [edit("1", "7")],
    one("keep held", "setting:new"),
    { old: 7 },
    one("move renamed", "setting:new"),
    { new: 7 },
  ),
  "tombstone × held": story(
    "what the user took out is out in any case",
    [{ a: 1, b: 1 }, { a: 2, b: 2 }, policy({ "when-deleted": "respect" })],
    [write({ b: 1 }), ship("1", { a: 1, b: 1 }, policy({ "when-deleted": "respect" }))],
    { "setting:a": "keep user-deleted", "setting:b": "keep held" },
    { b: 1 },
    { "setting:a": "keep user-deleted", "setting:b": "update" },
    { b: 2 },
  ),
  "owners × held": story(
    "a value that another owner took up meanwhile",
    [{ a: 1 }, { a: 2 }],
    [other("1", { a: 1 })],
    one("conflict owners-differ"),
    { a: 1 },
    one("conflict owners-differ"),
    { a: 1 },
  ),
  "comment × held": story(
    "a list with a comment in it: a conflict in any case",
    [{ a: [1] }, { a: [2] }],
    [edit("1", "1 // mine")],
    one("keep held"),
    '{\n  "a": [\n    1 // mine\n  ]\n}\n',
    one("conflict both-changed"),
    '{\n  "a": [\n    1 // mine\n  ]\n}\n',
  ),
  "locked × held": [
    [
      "what can't be written is not told to be held",
      [
        shipYaml("1", { a: 1 }),
        shipYaml("2", { a: 2 }),
        rollback,
        write("a: &x 1\nmine: *x\n"),
        shipYaml("2", { a: 2 }),
      ],
      one("keep locked"),
      "a: &x 1\nmine: *x\n",
    ],
  ],
  "blocked × held": story(
    "something of the user's in the way",
    [{ b: 1 }, { b: 2, env: { n: 1 } }],
    [write({ b: 1, env: "mine" })],
    { "setting:b": "keep held", "setting:env.n": "keep blocked" },
    { b: 1, env: "mine" },
    { "setting:b": "update", "setting:env.n": "keep blocked" },
    { b: 2, env: "mine" },
  ),
  "ignore × held": story(
    "an ignored field beside one that changes",
    [{ hooks: [{ ...plain, u: 1 }] }, { hooks: [{ ...plain, u: 2 }] }, policy({ ignore: ["t"] })],
    [edit('"t": 5', '"t": 60')],
    one("keep held", "hook:Stop:node x.js"),
    { hooks: [{ ...plain, t: 60, u: 1 }] },
    one("update", "hook:Stop:node x.js"),
    { hooks: [{ ...plain, t: 60, u: 2 }] },
  ),
  "when-deleted × held": story(
    "what the user took out is not put back",
    [
      { a: 1, b: 1 },
      { a: 2, b: 1 },
    ],
    [write({ b: 1 })],
    { "setting:a": "keep held", "setting:b": "unchanged" },
    { b: 1 },
    { "setting:a": "restore", "setting:b": "unchanged" },
    { a: 2, b: 1 },
  ),
  "when-edited × held": story(
    "an edit is not overwritten",
    [{ a: 1 }, { a: 2 }, policy({ "when-edited": "overwrite" })],
    [edit("1", "9")],
    one("keep held"),
    { a: 9 },
    one("update"),
    { a: 2 },
  ),
  "create-only × held": story(
    "neither version updates it",
    [{ a: 1, b: 1 }, { a: 2, b: 2 }, { policy: [{ match: "setting:a", "create-only": true }] }],
    [],
    { "setting:a": "keep create-only", "setting:b": "keep held" },
    { a: 1, b: 1 },
    { "setting:a": "keep create-only", "setting:b": "update" },
    { a: 1, b: 2 },
  ),
  "earlier × held": "a held version has records, and where there are records no earlier release is looked for",
  "pending × held": story(
    "a conflict is not recorded for a version that is held, and is one again when it no longer is",
    [{ a: 1 }, { a: 2 }],
    [edit("1", "9")],
    one("keep held"),
    { a: 9 },
    one("conflict both-changed"),
    { a: 9 },
  ),
  "held × containers": story(
    "no map is made for what does not come",
    [{ b: 1 }, { b: 1, env: { n: 1 } }],
    [disown("setting:b")],
    { "setting:b": "keep disowned", "setting:env.n": "keep held" },
    { b: 1 },
    { "setting:b": "keep disowned", "setting:env.n": "create" },
    { b: 1, env: { n: 1 } },
  ),
};
