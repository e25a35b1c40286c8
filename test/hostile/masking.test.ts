import { describe, expect, it } from "vitest";
import type { Value } from "../../src/core/value.ts";
import { maskLines, maskValue } from "../../src/report/mask/mask.ts";
import { maskInText } from "../../src/report/mask/text.ts";

const secret = "hunter2-Horse";
const hides = (shown: unknown) => expect(JSON.stringify(shown)).not.toContain("hunter2");

/** What a command line shows of itself: the program, the option and every neighbour, but not the secret. */
const commands: readonly [command: string, masked: string][] = [
  [`curl -u me:${secret} https://x.test`, "curl -u *** https://x.test"],
  [`curl -s -ume:${secret} https://x.test`, "curl -s -u*** https://x.test"],
  [`/usr/bin/curl --user me:${secret} -o out https://x.test`, "/usr/bin/curl --user *** -o out https://x.test"],
  [`curl --user=me:${secret} x`, "curl --user=*** x"],
  [`curl -u "me:${secret} and more" x`, 'curl -u "***" x'],
  [`curl -U me:${secret} --proxy-user me:${secret} x`, "curl -U *** --proxy-user *** x"],
  [`curl -u ${secret}: https://api.test/v1`, "curl -u *** https://api.test/v1"],
  [`curl -sSfu me:${secret} https://x.test`, "curl -sSfu *** https://x.test"],
  [`sshpass -p ${secret} ssh me@host`, "sshpass -p *** ssh me@host"],
  [`sshpass -p${secret} ssh -p 22 me@host`, "sshpass -p*** ssh -p 22 me@host"],
  [`sshpass -p '${secret}' ssh me@host`, "sshpass -p '***' ssh me@host"],
  [`mysql -u root -p${secret} shop`, "mysql -u root -p*** shop"],
  [`mysqldump -uroot -p'${secret}' shop > x.sql`, "mysqldump -uroot -p'***' shop > x.sql"],
  [`mariadb -h db -p${secret}`, "mariadb -h db -p***"],
  [`redis-cli -a ${secret} ping`, "redis-cli -a *** ping"],
  [`http -a me:${secret} GET x.test`, "http -a *** GET x.test"],
  [`mongosh -u me -p ${secret} db`, "mongosh -u me -p *** db"],
  [`ldapsearch -D cn=me -w ${secret} -b dc=x`, "ldapsearch -D cn=me -w *** -b dc=x"],
  [`smbclient //h/s -U me%${secret}`, "smbclient //h/s -U ***"],
  [`docker login -u me -p ${secret} registry.test`, "docker login -u me -p *** registry.test"],
  [`unzip -P ${secret} a.zip`, "unzip -P *** a.zip"],
  [`cd x && curl -u me:${secret} y | jq .a`, "cd x && curl -u *** y | jq .a"],
];

/** The same letters where they mean something else. */
const harmless = [
  "mysql -u root -p shop",
  "docker run -u 1000:1000 -p 80:80 nginx",
  "podman run --user 1000:1000 x",
  "ssh -p 22 me@host",
  "mkdir -p a/b",
  "curl -o out https://x.test",
  "curl https://x.test | tar -xzu",
  "sort -u names",
  "git push -u origin main",
  "node mysql.js -pretty",
  "the npm_config_cache, hf_transfer and SG.size are names",
  "npm_package_version",
];

describe("passwords that stand on command lines", () => {
  it.each(commands)("%s", (command, masked) => {
    expect(maskInText(command)).toBe(masked);
    hides(maskLines(`+  command: ${command}\n`));
    hides(maskValue({ hooks: [{ command }] }));
  });

  it.each(harmless)("nothing to hide: %s", (command) => {
    expect(maskInText(command)).toBe(command);
    expect(maskLines(command)).toBe(command);
  });

  const split: readonly [name: string, value: Value][] = [
    ["a program and its arguments", { command: "curl", args: ["-s", "-u", `me:${secret}`, "https://x.test"] }],
    ["a list that begins with its program", { command: ["sshpass", "-p", secret, "ssh", "me@host"] }],
    ["an argument with its value in it", { command: "/usr/bin/mysql", args: [`-p${secret}`, "shop"] }],
    ["a program behind another", { command: "npx", args: ["-y", "curl", "--user", `me:${secret}`] }],
    ["a shell's text", { command: "sh", args: ["-c", `curl -u me:${secret} x`] }],
  ];
  it.each(split)("as %s", (_, value) => {
    hides(maskValue(value));
    hides(maskLines(JSON.stringify(value, undefined, 2)));
    hides(maskLines(JSON.stringify(value)));
    expect(JSON.stringify(maskValue(value))).toContain("***");
  });

  it("an argument list keeps its other items", () => {
    expect(maskValue({ command: "curl", args: ["-u", `me:${secret}`, "-o", "out"] })).toEqual({
      command: "curl",
      args: ["-u", "***", "-o", "out"],
    });
    expect(maskValue({ command: "podman", args: ["run", "-u", "1000:1000", "-p", "80:80"] })).toEqual({
      command: "podman",
      args: ["run", "-u", "1000:1000", "-p", "80:80"],
    });
  });
});

describe("netrc", () => {
  it("on one line, and on several", () => {
    expect(maskLines(`machine x.test login me password ${secret}`)).toBe("machine x.test login me password ***");
    expect(maskLines(`default login me password ${secret} account a`)).toBe("default login me password *** account a");
    const lines = maskLines(`+machine x.test\n+  login me\n+  password ${secret}\n+machine y.test\n`);
    expect(lines).toBe("+machine x.test\n+  login me\n+  password ***\n+machine y.test\n");
  });
});

/** Made up, in the shape that each issuer gives its keys. */
const shapes: readonly string[] = [
  `sk_live_${"a1B2".repeat(6)}`,
  `sk_test_${"a1B2".repeat(6)}`,
  `rk_live_${"a1B2".repeat(6)}`,
  `whsec_${"a1B2".repeat(8)}`,
  `npm_${"a1B2".repeat(9)}`,
  `hf_${"aBcD".repeat(8)}Zz`,
  `SG.${"a1B2-".repeat(4)}aa.${"a1_2".repeat(10)}abc`,
  `dop_v1_${"0a1b".repeat(16)}`,
  `glpat-${"a1B2_".repeat(4)}`,
  "xoxb-1234567890-abcdef",
  "xoxe-1-abcdefghijkl",
  "xapp-1-A012345-678901-abcdef0123",
  `pypi-${"AgEIcHlwaS5vcmc".repeat(4)}`,
  `dckr_pat_${"a1B2".repeat(7)}`,
  `shpat_${"0a1b".repeat(8)}`,
  `ya29.${"a1B2-".repeat(10)}`,
  `AGE-SECRET-KEY-1${"QPZRY9X8".repeat(7)}AB`,
  `hvs.${"a1B2".repeat(6)}`,
  `ATATT3xFfGF0${"a1B2".repeat(10)}`,
];

/** An address that lets everybody post who knows it. */
const addresses: readonly [address: string, masked: string][] = [
  ["https://hooks.slack.com/services/T01AB/B02CD/hunter2hunter2", "https://hooks.slack.com/services/***"],
  ["https://hooks.slack.com/workflows/T01AB/A02CD/3/hunter2", "https://hooks.slack.com/workflows/***"],
  ["https://discord.com/api/webhooks/123456/hunter2_-hunter2", "https://discord.com/api/webhooks/***"],
  ["https://discordapp.com/api/webhooks/123456/hunter2", "https://discordapp.com/api/webhooks/***"],
  ["https://canary.discord.com/api/v10/webhooks/123456/hunter2", "https://canary.discord.com/api/v10/webhooks/***"],
  [
    "https://acme.webhook.office.com/webhookb2/1-2@3/IncomingWebhook/hunter2/4",
    "https://acme.webhook.office.com/webhookb2/***",
  ],
  ["https://outlook.office.com/webhook/1-2@3/IncomingWebhook/hunter2/4", "https://outlook.office.com/webhook/***"],
  [
    "https://prod-1.westeurope.logic.azure.com:443/workflows/a/triggers/manual/paths/invoke?sp=x&sig=hunter2",
    "https://prod-1.westeurope.logic.azure.com:443/workflows/***",
  ],
];

describe("keys and addresses that are known by their shape, whatever the name", () => {
  it.each(shapes)("%s", (key) => {
    expect(maskValue({ note: `use ${key} here` })).toEqual({ note: "use *** here" });
    expect(maskLines(`- note: "${key}"`)).toBe('- note: "***"');
  });

  it.each(addresses)("%s", (address, masked) => {
    expect(maskInText(`post to ${address}`)).toBe(`post to ${masked}`);
    expect(maskLines(`  "url": "${address}",`)).toBe(`  "url": "${masked}",`);
  });
});

it("costs no more than reading, however often a program is named", () => {
  const started = process.cpuUsage().user;
  for (const line of [
    "curl ".repeat(40_000),
    "curl -u ".repeat(40_000),
    `mysql ${"-p".repeat(200_000)}`,
    "machine ".repeat(40_000),
  ])
    expect(maskLines(line).length).toBeGreaterThan(0);
  expect(process.cpuUsage().user - started).toBeLessThan(4_000_000);
});
