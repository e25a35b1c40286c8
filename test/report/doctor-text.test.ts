import { expect, it } from "vitest";
import { doctorText } from "../../src/cli/files/doctor.ts";
import { paint } from "../../src/report/colour.ts";

const home = "/home/a";
const text = (message: string, fix: string) =>
  doctorText(
    [{ code: "script-not-executable", severity: "error", message, fix, owner: "zylos", file: `${home}/app.json` }],
    paint(false),
    home,
  );

it("says what, where and how to fix it, with paths as a person says them", () => {
  expect(
    text("it runs /home/a/x.sh, which is not executable (/home/a/link)", "chmod +x /home/a/x.sh"),
  ).toBe(`✗ it runs ~/x.sh, which is not executable (~/link)
    zylos  ~/app.json
    fix: chmod +x ~/x.sh
1 error, 0 warnings, 0 notes
`);
});

it("leaves a path that no shell would read a tilde in, and one of another home", () => {
  expect(text("/home/abc/x is not there", "chmod +x '/home/a/my x.sh'")).toContain("/home/abc/x is not there\n");
  expect(text("x", "chmod +x '/home/a/my x.sh'")).toContain("fix: chmod +x '/home/a/my x.sh'\n");
});

it("is content where there is nothing to say", () => {
  expect(doctorText([], paint(false), home)).toBe("Everything that is installed works.\n");
});
