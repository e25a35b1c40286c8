// One whole reconciliation in memory for ever more Services, each of them a tool: as the first one, and again with one
// of them gone. A ConfigMap takes a megabyte, so no cluster sees the largest of these; that they are too large must
// still be found out in good time.
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
    if (first.document.changed !== size || second.document.changed > 1)
      throw new Error(`${second.document.changed} tools changed`);
  };
}
