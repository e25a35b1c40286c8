import type { InferInput } from "valibot";
import { expectTypeOf, it } from "vitest";
import type { inlineManifestSchema } from "../../src/files/manifest/manifest.ts";
import { loadManifest, type ManifestSource } from "../../src/index.ts";

/** The same type with every list and property read-only, however it was put together. */
type Plain<T> = T extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : T extends object
    ? { readonly [name in keyof T]: Plain<T[name]> }
    : T;

it("the type of a manifest is the schema's, property by property", () => {
  expectTypeOf<Plain<ManifestSource>>().toEqualTypeOf<Plain<InferInput<typeof inlineManifestSchema>>>();
});

it("what the schema refuses does not compile", () => {
  const call = () => [
    loadManifest({ name: "a", version: "1", files: [{ target: "~/a", template: "", strategy: "block" }] }),
    // @ts-expect-error A misspelt property.
    loadManifest({ name: "a", version: "1", files: [{ target: "~/a", template: "", stratgy: "block" }] }),
    // @ts-expect-error A value that is not one of the list.
    loadManifest({ name: "a", version: "1", files: [{ target: "~/a", template: "", strategy: "overwrite" }] }),
    // @ts-expect-error A misspelt property of the manifest.
    loadManifest({ name: "a", version: "1", fils: [] }),
    // @ts-expect-error A policy without a pattern.
    loadManifest({ name: "a", version: "1", policy: [{ "when-deleted": "respect" }] }),
    // @ts-expect-error An unknown system.
    loadManifest({ name: "a", version: "1", files: [{ target: "~/a", template: "", os: ["plan9"] }] }),
  ];
  expectTypeOf(call).toBeFunction();
});
