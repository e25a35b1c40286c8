import type { Rule } from "../rules/rule.ts";

/**
 * Hooks in groups by matcher, as Claude Code made them and others took them over: `hooks.Stop[0].hooks[0]`. A handler
 * is a command, or an address, a tool of a server, a prompt; under another condition (`if`) it is another handler.
 */
export const nestedHooks: Rule = {
  type: "hook",
  at: "hooks.{event}[].hooks[]",
  key: ["event", "matcher|matcher", ["command|command", "url", "server+tool", "prompt"], "if?"],
  pair: ["event", ["command|script", "url", "server+tool", "prompt"]],
};
