import { expect, it } from "vitest";
import { Workplace } from "./workplace.ts";

const records = ".stet/chime.json";

it("what Git checks out with Windows' line breaks is in order, stays so, and is upgraded", async () => {
  const work = new Workplace();
  await work.ok("ann", "apply", work.release("1.0.0", { theme: "dark" }, { "GUIDE.md": "# Guide\n\nOne.\n" }));
  work.commit("ann", "chime");
  work.git("ann", "push", "-q", "origin", "HEAD:main");
  work.clone("bob", "-c", "core.autocrlf=true");
  const checkedOut = work.read(`bob/${records}`);
  expect(checkedOut).toContain("{\r\n");
  expect((await work.run("bob", "plan", work.at("chime-1.0.0"), "--exit-code")).code).toBe(0);
  await work.ok("bob", "apply", work.at("chime-1.0.0"));
  expect(work.read(`bob/${records}`)).toBe(checkedOut);
  expect(work.git("bob", "status", "--short")).toBe("");
  await work.ok("bob", "apply", work.release("1.1.0", { theme: "light" }, { "GUIDE.md": "# Guide\n\nTwo.\n" }));
  expect(work.read(`bob/${records}`).replaceAll("\r\n", "")).not.toContain("\n");
  work.commit("bob", "chime 1.1.0");
  work.git("bob", "push", "-q", "origin", "HEAD:main");
  work.git("ann", "pull", "-q", "origin", "main");
  expect((await work.run("ann", "plan", work.at("chime-1.1.0"), "--exit-code")).code).toBe(0);
  expect([work.read("ann/GUIDE.md"), work.read(`ann/${records}`).includes("\r")]).toEqual(["# Guide\n\nTwo.\n", false]);
});
