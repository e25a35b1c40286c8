// One whole reconciliation in memory for ever more Services, each of them a tool: as the first one, and again with one
// of them gone. A ConfigMap takes a megabyte: of the larger ones most are left out, which must still be found out in
// good time.
import { servicesOf, toolsetInput } from "./toolset-input.mjs";

export function prepare(parts, size) {
  const services = servicesOf(parts, size);
  const plan = (some, current) => {
    const evaluation = parts.evaluateToolset(toolsetInput(parts, some, current));
    const document = parts.toolsetDocument(evaluation, current);
    return { document, configMap: evaluation.configMap };
  };
  return () => {
    const first = plan(services, undefined);
    const second = plan(services.slice(1), first.configMap);
    // Where one leaves, the next one may have room.
    if (first.document.changed > size || second.document.changed > 2)
      throw new Error(`${second.document.changed} tools changed`);
  };
}
