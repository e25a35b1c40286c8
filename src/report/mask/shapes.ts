/** Keys that are known by their shape: what the issuer begins them with, and how they go on. */
const keys = [
  "sk-[\\w-]{16,}",
  "[sr]k_(?:live|test)_\\w{16,}",
  "whsec_[\\w+/=]{20,}",
  "gh[pousr]_\\w{20,}",
  "github_pat_\\w{20,}",
  "gl(?:pat|ptt|dt|rt|ft|sa|cbt|imt|agent|oas)[-_][\\w-]{16,}",
  "xox[a-z](?:\\.xox[a-z])?-[\\w-]{10,}",
  "xapp-[\\w-]{10,}",
  "npm_[A-Za-z0-9]{36,}",
  "pypi-[\\w-]{40,}",
  "hf_[A-Za-z0-9]{30,}",
  "SG\\.[\\w-]{16,}\\.[\\w-]{16,}",
  "do[opr]_v1_[0-9a-f]{32,}",
  "dckr_pat_[\\w-]{20,}",
  "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,}",
  "ya29\\.[\\w-]{20,}",
  "hv[sb]\\.[\\w-]{20,}",
  "ATATT3[\\w=-]{20,}",
  "AGE-SECRET-KEY-1[0-9A-Z]{20,}",
  "A(?:KIA|SIA)[0-9A-Z]{16}",
  "AIza[\\w-]{30,}",
  "eyJ[\\w-]{10,}\\.[\\w-]{4,}\\.[\\w-]*",
].join("|");

/** Addresses that let everybody post who knows them: what stays, and what is the key. */
const webhook = new RegExp(
  `(https?://(?:${[
    "hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)/",
    "(?:\\w{1,20}\\.)?discord(?:app)?\\.com/api/(?:v\\d{1,3}/)?webhooks/",
    "[\\w-]{1,63}\\.webhook\\.office\\.com/webhookb2/",
    "outlook\\.office(?:365)?\\.com/webhook/",
    "[\\w.-]{1,120}\\.logic\\.azure\\.com(?::\\d{1,5})?/workflows/",
    "[\\w.-]{1,120}\\.powerplatform\\.com(?::\\d{1,5})?/powerautomate/automations/direct/workflows/",
    "chat\\.googleapis\\.com/v1/spaces/",
  ].join("|")}))[^\\s"'<>\`)\\]}]{1,2048}`,
  "gi",
);

const key = new RegExp(`\\b(?:${keys})`, "g");

/** Whether a text holds such a key at all; addresses are looked for by their `://`. */
export const keyHint = `\\b(?:${keys})`;

export function maskShapes(text: string, mask: string): string {
  return text.replace(webhook, `$1${mask}`).replace(key, mask);
}

/**
 * Parts of names under which secrets stand. In doubt a name counts: a masked value can be shown, a shown one can't be
 * taken back.
 */
const secretParts =
  "tokens?(?!i[sz])|secret|passw(?:or)?d|passphrase|credential|authorization|bearer|cookie|jwt|apikey|" +
  "(?:api|private|access|secret|signing|encryption|session|master|account|client|auth|ssh|license)[-_. ]?key|" +
  "(?<![a-z])(?:pass|pwd|creds)(?![a-z])";
const secretName = new RegExp(secretParts, "i");

/** Names that count tokens: `max_tokens`, `MAX_THINKING_TOKENS`, `tokenLimit`. */
const measure = /max|min|limit|budget|count|num|total|context|usage|window|output|input|thinking|rate|size|length|per/i;

export function namesSecret(text: string): boolean {
  return secretName.test(text);
}

/** Whether a value under this name is to be masked; a number of tokens is no secret. */
export function looksSecret(name: string, value?: unknown): boolean {
  if (!namesSecret(name)) return false;
  const isNumber = typeof value === "number" || (typeof value === "string" && /^["']?\d{1,12}["']?$/.test(value));
  return !(isNumber && /token/i.test(name) && measure.test(name));
}

/** Finds every place in a text where such a part stands. A new one each time: it carries its position. */
export function secretNameFinder(): RegExp {
  return new RegExp(secretParts, "gi");
}

/**
 * A variable or header that is written as two fields: `{ "name": "API_KEY", "value": "…" }`. The name says whether the
 * value is secret.
 */
const named = `["']?\\b(?:name|key|header)["']? {0,8}: {0,8}["']?([\\w.-]{1,64})["']?`;
const valued = `["']?\\bvalue["']? {0,8}: {0,8}`;
const value = `"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|'[^']*'|[^\\s,}\\]"']+`;
const nameFirst = new RegExp(`(${named} {0,8}, {0,8}${valued})(${value})`, "gi");
const valueFirst = new RegExp(`(${valued})(${value})( {0,8}, {0,8}${named})`, "gi");

/** Both fields on one line. */
export function maskPairs(text: string, mask: string): string {
  if (!/\bvalue\b/i.test(text)) return text;
  return text
    .replace(nameFirst, (whole, before: string, name: string, secret: string) =>
      looksSecret(name) ? before + quotedAs(secret, mask) : whole,
    )
    .replace(valueFirst, (whole, before: string, secret: string, after: string, name: string) =>
      looksSecret(name) ? before + quotedAs(secret, mask) + after : whole,
    );
}

const nameAlone = new RegExp(`^[ +-]?\\s*(?:- +)?${named},?\\s*$`, "i");
const valueAlone = new RegExp(`^(?:- +)?${valued}(?=\\S)`, "i");

/**
 * Each field on a line of its own: what stands before the value; undefined where the line is none, or no line beside it
 * names a secret.
 */
export function valueBeside(body: string, neighbours: readonly (string | undefined)[]): string | undefined {
  const before = valueAlone.exec(body)?.[0];
  if (before === undefined) return undefined;
  const isSecret = neighbours.some((line) => looksSecret(nameAlone.exec(line ?? "")?.[1] ?? ""));
  return isSecret ? before : undefined;
}

function quotedAs(secret: string, mask: string): string {
  const quote = /^["']/.exec(secret)?.[0] ?? "";
  return quote + mask + quote;
}
