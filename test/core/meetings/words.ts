import { record, there, wanted } from "../entries.ts";

/** The words of the stories: what is wanted, on record, and there, under a few keys. */
export const [D, R, A] = [wanted, record, there];
export const k = "setting:a";
export const [old, renamed] = ["setting:old", "setting:new"];
export const moves = [{ from: old, to: renamed }];

/** One script: as shipped, with an option the framework adds, and as a user runs it. */
export const [plain, fast, wrapped] = ["hook:Stop:node x.js", "hook:Stop:node --fast x.js", "hook:Stop:nice node x.js"];
export const hook = (key: string, t = 5) => ({ c: key.slice("hook:Stop:".length), t });

/** How a story says that a tombstone is on record. */
export const tombstone = (value: object | number) => ({ state: "deleted", value }) as never;
