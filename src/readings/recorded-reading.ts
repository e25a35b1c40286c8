import { isAbsolute } from "node:path";
import * as v from "valibot";
import { InputError } from "../core/diagnostic.ts";
import { formatNames, ruleSchema, strategies } from "../files/manifest/manifest.ts";
import type { PlaceRecord } from "../store/records/registry.ts";
import type { ReadingData } from "./open-reading.ts";

/** How a file is read, as the registry keeps it: policies are spelt as the planner has them. */
const readingSchema = v.looseObject({
  format: v.picklist(formatNames),
  strategy: v.picklist(strategies),
  rules: v.array(ruleSchema),
  policies: v.array(
    v.looseObject({
      match: v.string(),
      whenDeleted: v.optional(v.picklist(["restore", "respect"])),
      whenEdited: v.optional(v.picklist(["merge", "keep", "overwrite"])),
      whenPresent: v.optional(v.picklist(["keep", "adopt"])),
      ignore: v.optional(v.array(v.string())),
      createOnly: v.optional(v.boolean()),
    }),
  ),
});

/** The part of a record that says how to read its file. A registry somebody damaged is refused, never guessed at. */
export function recordedReading(section: string, record: PlaceRecord, registry: string): ReadingData {
  const parsed = v.safeParse(readingSchema, record.reading);
  const anchored = isAbsolute(section) || /^~(?:$|[/\\])/.test(section);
  if (parsed.success && anchored) return record.reading as unknown as ReadingData;
  const what = parsed.success ? "is no absolute path" : "is damaged";
  const message = `the record of ${section} ${what}; restore the registry from a backup, or move it away to start over with every entry as yours`;
  throw new InputError({ code: "invalid-registry", message, file: registry });
}
