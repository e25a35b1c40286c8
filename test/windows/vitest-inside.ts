/**
 * What stands in for `vitest` where tests run in one process without vitest around it: its own runner and its own
 * `expect`, fed with test files that are already in the bundle. Node for Windows under wine has no pipes, and vitest
 * can't do without.
 */
import fs from "node:fs";
import {
  ChaiStyleAssertions,
  chai,
  type ExpectStatic,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from "@vitest/expect";
import { type File, startTests, type Task, type VitestRunner } from "@vitest/runner";

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, onTestFinished, test } from "@vitest/runner";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(ChaiStyleAssertions);
chai.use(JestAsymmetricMatchers);

export const expect = chai.expect as ExpectStatic;
Object.assign(globalThis, { [GLOBAL_EXPECT]: expect });
setState({ assertionCalls: 0, isExpectingAssertions: false, isExpectingAssertionsError: null }, expect);

/** A test and how it ended. */
export interface Played {
  readonly name: string;
  readonly state: string;
  readonly errors: readonly string[];
}

type TestFiles = Readonly<Record<string, () => Promise<unknown>>>;

/** Runs test files one after the other, and writes how each of their tests ended to the file named by the last argument. */
export async function play(files: TestFiles): Promise<void> {
  const runner: VitestRunner = {
    config: {
      name: undefined,
      testNamePattern: undefined,
      allowOnly: false,
      chaiConfig: undefined,
      root: process.cwd(),
      setupFiles: [],
      passWithNoTests: true,
      sequence: { shuffle: false, concurrent: false, seed: 1, hooks: "stack", setupFiles: "list" },
      maxConcurrency: 1,
      testTimeout: 120_000,
      hookTimeout: 60_000,
      retry: 0,
      includeTaskLocation: false,
      diffOptions: {},
      tags: [],
      tagsFilter: undefined,
      strictTags: false,
    },
    importFile: (path) => files[path]!(),
  };
  const ended = await startTests(Object.keys(files), runner);
  fs.writeFileSync(process.argv.at(-1)!, JSON.stringify(ended.flatMap((file) => playedIn(file))));
}

function playedIn(task: Task | File, before = ""): Played[] {
  const name = before === "" ? task.name : `${before} > ${task.name}`;
  const errors = (task.result?.errors ?? []).map((error) => `${error.stack ?? error.message}\n${error.diff ?? ""}`);
  const own =
    task.type === "test" || errors.length > 0 ? [{ name, state: task.result?.state ?? task.mode, errors }] : [];
  return task.type === "suite" ? [...own, ...task.tasks.flatMap((each) => playedIn(each, name))] : own;
}
