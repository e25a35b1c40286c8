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
