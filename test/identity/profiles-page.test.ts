import { expect, it } from "vitest";
import { profilesPage } from "./profiles-page.ts";

it("docs/profiles.md says what the profiles say", async () => {
  await expect(profilesPage()).toMatchFileSnapshot("../../docs/profiles.md");
});
