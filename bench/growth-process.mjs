// One size of one scenario, in a process of its own: `node --expose-gc growth-process.mjs PARTS SCENARIO
// install|floor|prepare SIZE FOLDER`. The last two print what they took, and the most memory the process had while at
// it, over what it had with everything loaded and nothing done.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, scenario, step, size, folder] = process.argv.slice(2);
const parts = await import(pathToFileURL(bundle).href);
const steps = await import(scenario);

if (step === "install") await steps.install(parts, Number(size), folder);
else {
  const before = forgetPeak();
  const work = await steps[step](parts, Number(size), folder);
  const [start, used] = [performance.now(), process.cpuUsage()];
  await work();
  const [ms, { user, system }] = [performance.now() - start, process.cpuUsage(used)];
  console.log(JSON.stringify({ ms, cpu: (user + system) / 1000, memory: Math.max(peak() - before, 1) }));
}

/**
 * In kilobytes, what this process has now. Loading programs takes more memory than they need afterwards: that is none
 * of the work's.
 */
function forgetPeak() {
  globalThis.gc();
  if (process.platform === "linux") writeFileSync("/proc/self/clear_refs", "5");
  return process.memoryUsage.rss() / 1024;
}

function peak() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
}
