/** A flat list of hooks, as the document has them. Apart from `world.ts`, which only a test runner can load. */
export const flatHooks = [{ type: "hook", at: "hooks[]", key: ["event", "command|command"], pair: ["event", "command|script"] }];
