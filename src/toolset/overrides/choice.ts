import { type Diagnostic, renderDiagnostic } from "../../core/diagnostic.ts";
import { type ConfigMap, dataKeys, dataOf } from "../render/configmap.ts";
import { noOverrides, type Overrides, parseOverrides } from "./overrides.ts";

/** Which overrides are in effect: those written, or, while they are malformed, the last good ones. */
export interface OverridesChoice {
  readonly effective: Overrides;
  /** What was in effect before, to tell what changes. */
  readonly former: Overrides;
  /** The text to keep as the last good one; undefined: none. */
  readonly lastGood: string | undefined;
  /** What is wrong with the text as written, with line and column; undefined: it is valid. */
  readonly error: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const longestError = 1024;

/** Where overrides are read from when they live in an object of their own. */
export interface SeparateOverrides {
  readonly file: string;
  readonly text: string | undefined;
}

export function chooseOverrides(current: ConfigMap, separate: SeparateOverrides | undefined): OverridesChoice {
  const data = dataOf(current);
  const { file, text } = separate ?? { file: dataKeys.overrides, text: data[dataKeys.overrides] };
  const kept = data[dataKeys.lastGood];
  const written = parseOverrides(text ?? "", file);
  if (written.kind === "valid" && text === kept) {
    return {
      effective: written.overrides,
      former: written.overrides,
      lastGood: kept,
      error: undefined,
      diagnostics: written.diagnostics,
    };
  }
  const former = kept === undefined ? noOverrides : parsedOr(kept);
  if (written.kind === "valid") {
    const lastGood = saysNothing(written.overrides) ? undefined : text;
    return { effective: written.overrides, former, lastGood, error: undefined, diagnostics: written.diagnostics };
  }
  const instead = kept === undefined ? "no overrides are in effect" : "the last good overrides stay in effect";
  const diagnostic = {
    ...written.diagnostic,
    message: `${written.diagnostic.message}; until this is mended, ${instead}`,
  };
  const error = renderDiagnostic(written.diagnostic).slice(0, longestError);
  return { effective: former, former, lastGood: kept, error, diagnostics: [diagnostic] };
}

/** Our own copy of a text that was valid; if somebody broke it, nothing is in effect. */
function parsedOr(text: string): Overrides {
  const parsed = parseOverrides(text, dataKeys.lastGood);
  return parsed.kind === "valid" ? parsed.overrides : noOverrides;
}

function saysNothing({ tools, toolsets, mcpServers }: Overrides): boolean {
  return tools.length + Object.keys(toolsets).length + Object.keys(mcpServers).length === 0;
}
