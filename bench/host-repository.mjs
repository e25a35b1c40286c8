// Repositories of any size: shared services, and hosts that put something over them.

const names = (count, prefix) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

/**
 * For each service a unit, a shared drop-in and a config file, of which every tenth differs from release to release;
 * for each host a drop-in of its own over every service, or over the first few of them.
 * @param {{ hosts: number, services: number, overlaid?: number, release?: string }} size
 */
export function repositoryFiles({ hosts, services, overlaid = services, release = "1" }) {
  const all = names(services, "service");
  const shared = all.flatMap((name, i) => [
    [`services/${name}/quadlet/${name}.container`, unitOf(name)],
    [
      `services/${name}/quadlet-overrides/${name}.container.d/10-defaults.conf`,
      "[Container]\nEnvironment=LEVEL=info\n",
    ],
    [`services/${name}/config/etc/${name}/${name}.toml`, `release = ${i % 10 === 0 ? release : "1"}\n`],
  ]);
  const own = names(hosts, "host").flatMap((host) => [
    [`hosts/${host}/host.yaml`, declarationOf(host, all)],
    ...all
      .slice(0, overlaid)
      .map((name) => [
        `hosts/${host}/overrides/quadlet/${name}.container.d/20-host.conf`,
        `[Container]\nHostName=${host}\n`,
      ]),
  ]);
  return [...shared, ...own];
}

/** The same as a tree in memory. */
export function repositoryTree(parts, size) {
  return parts.repositoryTree(
    repositoryFiles(size).map(([path, text]) => [path, { kind: "file", bytes: Buffer.from(text), executable: false }]),
  );
}

function unitOf(name) {
  return `[Unit]\nDescription=${name}\n[Container]\nImage=example.org/${name}:1\nPublishPort=80\n[Install]\nWantedBy=default.target\n`;
}

function declarationOf(host, services) {
  if (services.length === 0) return `host: ${host}\nservices: []\n`;
  return `host: ${host}\nservices:\n${services.map((each) => `  - ${each}\n`).join("")}`;
}
