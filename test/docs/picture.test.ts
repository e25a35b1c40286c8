import path from "node:path";
import { expect, it } from "vitest";
import { bundleCli } from "./cli-bundle.ts";

it("docs/plan.svg shows what plan prints; after a change run: npx vitest run test/docs/picture.test.ts -u", async () => {
  const { planPicture } = await import(path.resolve(import.meta.dirname, "../../scripts/picture.mjs"));
  const cli = await bundleCli();
  try {
    const picture = planPicture(cli.program);
    expect(planPicture(cli.program)).toBe(picture);
    await expect(picture).toMatchFileSnapshot("../../docs/plan.svg");
  } finally {
    cli.remove();
  }
});
