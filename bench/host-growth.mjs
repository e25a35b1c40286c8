// What a host costs with ever more files, without its disk: the repository evaluated, planned for a machine that has
// none of it, and for one that has all of it but for what has changed in every tenth service.
import { dirname } from "node:path";
import { repositoryTree } from "./host-repository.mjs";

const options = {
  keepDrift: false,
  activate: true,
  retryNow: true,
  recreate: false,
  hostChanged: false,
  now: new Date(0),
};
const filesOfService = 4;

export function prepare(parts, size) {
  const services = size / filesOfService;
  const [first, second] = ["1", "2"].map((release) => repositoryTree(parts, { hosts: 1, services, release }));
  const plan = (tree, disk) => {
    const evaluation = parts.evaluateFor(parts.openCatalog(tree), "host0", parts.systemLayout);
    const target = targetOn(parts, disk);
    const records = parts.readHostRecords(target);
    const places = records.registry?.files ?? {};
    const made = Object.values(places).flatMap((place) => place.created?.folders ?? []);
    const files = parts.observeFiles(records.reader, "/", {
      wanted: evaluation.files,
      recorded: Object.keys(places),
      made,
    });
    const observed = { ...files, units: new Map(), objects: new Map() };
    const desired = { evaluation, version: "1", note: "apply", hold: undefined };
    const planned = parts.planHost(desired, observed, records, { ...options, target });
    if (planned.kind !== "planned") throw new Error(JSON.stringify(planned.diagnostics[0]));
    return planned.plan;
  };
  return () => {
    const disk = new Map();
    const { document, transaction } = plan(first, disk);
    if (document.changed !== size) throw new Error(`${document.changed} files are planned, not ${size}`);
    for (const { path, after } of transaction.changes) put(disk, path, after.bytes, after.mode.exact);
    if (transaction.registry.after)
      put(disk, transaction.registry.path, Buffer.from(transaction.registry.after), 0o600);
    const again = plan(second, disk).document;
    if (again.changed !== Math.ceil(services / 10))
      throw new Error(`${again.changed} files change, not a tenth of ${services}`);
  };
}

function put(disk, path, bytes, mode) {
  disk.set(path, { kind: "file", bytes, mode });
  for (let folder = dirname(path); !disk.has(folder); folder = dirname(folder))
    disk.set(folder, { kind: "folder", mode: 0o755 });
}

/** A machine in memory. Planning only reads, so that is all it can do. */
function targetOn({ systemLayout }, disk) {
  const gate = {
    userId: 0,
    stat(path) {
      const found = disk.get(path);
      return found && { kind: found.kind, mode: found.mode, uid: 0, gid: 0, links: 1, size: found.bytes?.length ?? 0 };
    },
    read: (path) => disk.get(path)?.bytes,
    realPath: (path) => path,
    readLink: () => undefined,
    list: () => undefined,
  };
  return {
    root: "/",
    scope: "system",
    layout: systemLayout,
    stateDir: "/var/lib/stet",
    gate,
    program: "stet",
    now: () => new Date(0),
  };
}
