// What the measurement needs of the program, bundled when it runs.
export { equalValues } from "../../src/core/value.ts";
export { mergeTexts } from "../../src/merge/merge-texts.ts";
export { loadFormat } from "../../src/readings/open-reading.ts";
export { formatFor } from "../../src/readings/reading-data.ts";
