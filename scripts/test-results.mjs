// A reporter of vitest for scripts/test.mjs: writes how many tests passed and failed, and for each file its seconds, what
// it loads included, and the tests that were left out, to the file that STET_TEST_RESULTS names.
import { writeFileSync } from "node:fs";

export default class Results {
  onTestRunEnd(modules) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state) => tests.filter((test) => test.result().state === state).length;
    const result = { passed: count("passed"), failed: count("failed"), files: modules.map(describe) };
    writeFileSync(process.env.STET_TEST_RESULTS, JSON.stringify(result));
  }
}

function describe(module) {
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  const leftOut = [...module.children.allTests()].filter((test) => !["passed", "failed"].includes(test.result().state));
  return {
    file: module.relativeModuleId,
    seconds: (prepareDuration + collectDuration + setupDuration + duration) / 1000,
    leftOut: leftOut.map((test) => test.fullName),
  };
}
