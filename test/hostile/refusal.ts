import { expect } from "vitest";
import type { Terminal } from "../cli/terminal.ts";

/** Each command ends in one clear line on standard error and exit 1, and changes nothing below the home. */
export async function expectRefusal(terminal: Terminal, line: RegExp, ...commands: string[][]): Promise<void> {
  const before = terminal.snapshot();
  for (const argv of commands) {
    const { code, out, err } = await terminal.run(...argv);
    expect({ argv, code, out, err }).toEqual({
      argv,
      code: 1,
      out: "",
      err: expect.stringMatching(/^stet: [^\n]+\n$/),
    });
    expect(err).toMatch(line);
    expect(err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  }
  expect(terminal.snapshot()).toEqual(before);
}
