import path from "node:path";
import { expect, it } from "vitest";
import { bundleCli } from "./cli-bundle.ts";

const pictures = ["plan", "upgrade"] as const;

it.each(pictures)("docs/%s.svg shows what is printed; after a change run this with -u", async (name) => {
  const { planPicture, upgradePicture } = await import(path.resolve(import.meta.dirname, "../../scripts/picture.mjs"));
  const draw = name === "plan" ? planPicture : upgradePicture;
  const cli = await bundleCli();
  try {
    const picture = draw(cli.program);
    expect(draw(cli.program)).toBe(picture);
    await expect(picture).toMatchFileSnapshot(`../../docs/${name}.svg`);
  } finally {
    cli.remove();
  }
});
