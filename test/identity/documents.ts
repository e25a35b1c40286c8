import type { Value } from "../../src/core/value.ts";
import { type Node, nodeOf } from "../../src/formats/format.ts";
import { json } from "../../src/formats/json/json.ts";
import { compileRules } from "../../src/identity/rules/compile-rules.ts";
import type { CompiledRules, Rule } from "../../src/identity/rules/rule.ts";

/** The root of a JSON text, read by the real format. */
export function jsonRoot(text: string): Node {
  const result = json.read(text);
  if (result.kind !== "read") throw new Error(result.message);
  return result.document.root;
}

export function compiled(rules: readonly Rule[]): CompiledRules {
  const result = compileRules(rules);
  if (result.kind !== "compiled") throw new Error(result.message);
  return result.rules;
}

/** A document that throws when anything but the named places is read: reading is lazy, or huge files are slow. */
export function guarded(value: Value, forbidden: readonly string[], path: readonly (string | number)[] = []): Node {
  const node = nodeOf(value);
  const place = path.join(".");
  const check = () => {
    if (forbidden.includes(place)) throw new Error(`${place} was read`);
  };
  return {
    ...node,
    value: () => {
      check();
      if (node.kind !== "scalar") throw new Error(`the whole of ${place} was read`);
      return value;
    },
    get: (name) => {
      check();
      const child = node.get(name);
      return child && guarded(child.value(), forbidden, [...path, name]);
    },
    names: () => {
      check();
      return node.names();
    },
    items: () => {
      check();
      return node.items().map((item, i) => guarded(item.value(), forbidden, [...path, i]));
    },
  };
}
