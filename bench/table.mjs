// The table as a terminal shows it: one line a row.
import { isWithin } from "./measure.mjs";

/** `! what / against what   value   lowest–highest   limit   times` */
export function rowLine(row) {
  const { name, against, limit, spread, detail } = row;
  const [low, high] = spread.map((value) => amount(value, row.unit));
  return [
    isWithin(row) ? " " : "!",
    (against === undefined ? name : `${name} / ${against}`).padEnd(80),
    `${amount(row.value, row.unit)} ${row.unit}`.padStart(10),
    (low === high ? "" : `${low}–${high}`).padEnd(13),
    (limit === undefined ? "" : `limit ${limit}`).padEnd(10),
    detail,
  ]
    .join(" ")
    .trimEnd();
}

export function missingLine({ missing, add }) {
  return `  not measured: ${missing}; to add it: ${add}`;
}

/** Ratios and powers need two digits behind the point, milliseconds and megabytes hardly one. */
export function amount(value, unit) {
  return value.toFixed(unit === "×" || unit === "power" ? 2 : 1);
}
