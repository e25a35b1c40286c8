// One size of one scenario: `node growth-process.mjs PARTS SCENARIO SIZE FOLDER` prints what the work took, and the most memory this process ever had.
import { pathToFileURL } from "node:url";

const [bundle, scenario, size, folder] = process.argv.slice(2);
const parts = await import(pathToFileURL(bundle).href);
const { default: prepare } = await import(scenario);
const work = await prepare(parts, Number(size), folder);
const [start, used] = [performance.now(), process.cpuUsage()];
await work();
const [ms, { user, system }] = [performance.now() - start, process.cpuUsage(used)];
console.log(JSON.stringify({ ms, cpu: (user + system) / 1000, peak: process.resourceUsage().maxRSS }));
