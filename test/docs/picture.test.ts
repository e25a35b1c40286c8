import path from "node:path";
import { expect, it } from "vitest";
import { builtProgram } from "../program.ts";

const pictures = ["plan", "upgrade"] as const;

it.each(pictures)("docs/%s.svg shows what is printed; after a change run this with -u", async (name) => {
  const { planPicture, upgradePicture } = await import(path.resolve(import.meta.dirname, "../../scripts/picture.mjs"));
  const draw = name === "plan" ? planPicture : upgradePicture;
  const picture = draw(builtProgram());
  expect(draw(builtProgram())).toBe(picture);
  await expect(picture).toMatchFileSnapshot(`../../docs/${name}.svg`);
});
