import fs from "node:fs";

/** Opened to write, or to read and write: the last two bits of the flags that a file was opened with. */
const accessMode = 0o3;

/**
 * What Linux tells of the files that programs have open. What ends or is not ours to see while we look is passed over.
 */
export function writerOf(path: string): string | undefined {
  for (const pid of namesIn("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const fd = namesIn(`/proc/${pid}/fd`).find(
      (each) => linkOf(`/proc/${pid}/fd/${each}`) === path && isWritable(pid, each),
    );
    if (fd !== undefined) return `${textOf(`/proc/${pid}/comm`).trim()}, process ${pid}`;
  }
  return undefined;
}

function isWritable(pid: string, fd: string): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(textOf(`/proc/${pid}/fdinfo/${fd}`))?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & accessMode) !== 0;
}

function namesIn(folder: string): readonly string[] {
  return orNothing(() => fs.readdirSync(folder)) ?? [];
}

function linkOf(path: string): string | undefined {
  return orNothing(() => fs.readlinkSync(path));
}

function textOf(path: string): string {
  return orNothing(() => fs.readFileSync(path, "utf8")) ?? "";
}

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
