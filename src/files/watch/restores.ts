import type { PlanDocument } from "../../core/plan-document.ts";
import type { Place } from "../../engine/place.ts";
import type { FileDecision } from "../../entries/file-entry.ts";

/**
 * What a watcher has put back so far. A program that deletes an entry a second time means it, and putting it back for ever would be a
 * fight: from then on the entry stays out, until a new version or a new start.
 */
export class Restores {
  readonly #restored = new Set<string>();
  readonly #told = new Set<string>();
  #newly: string[] = [];
  #version = "";

  /** Another version is another wish: it may try again. */
  begin(version: string): void {
    if (version !== this.#version) {
      this.#restored.clear();
      this.#told.clear();
    }
    this.#version = version;
    this.#newly = [];
  }

  readonly revise = (decision: FileDecision, { path }: Pick<Place, "path">): FileDecision => {
    const { key, outcome } = decision;
    const id = `${path}#${key}`;
    if (outcome.verdict !== "restore" || !this.#restored.has(id)) return decision;
    if (!this.#told.has(id)) this.#newly.push(key);
    this.#told.add(id);
    return {
      ...decision,
      outcome: { verdict: "keep", reason: "user-deleted", result: undefined, record: { kind: "same" }, conflicts: [] },
    };
  };

  /** What was put back now, and what has been given up since `begin`. */
  finish(document: PlanDocument): readonly string[] {
    for (const { file, key, verdict } of document.entries) if (verdict === "restore") this.#restored.add(`${file}#${key}`);
    return this.#newly;
  }
}
