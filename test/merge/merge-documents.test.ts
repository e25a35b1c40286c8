import { expect, it } from "vitest";
import { mergeTexts } from "../../src/merge/merge-texts.ts";
import { loadFormat } from "../../src/readings/open-reading.ts";
import { mergeFile } from "../../src/text/merge-file.ts";

const markers = { mine: "mine", theirs: "theirs" };

async function merge(base: string, mine: string, theirs: string) {
  return mergeTexts(base, mine, theirs, { format: await loadFormat("yaml"), markers });
}

const object = (kind: string, name: string, more: string) => `kind: ${kind}\nmetadata:\n  name: ${name}\n${more}`;
const service = (port: number) => object("Service", "web", `spec:\n  port: ${port}\n`);
const deployment = (replicas: number, image: string) =>
  object("Deployment", "web", `spec:\n  replicas: ${replicas}\n  image: ${image}\n`);
const map = (name: string) => object("ConfigMap", name, "data: {}\n");
const file = (...documents: string[]) => documents.join("---\n");

it("each document is merged by its entries: neighbours that git calls a conflict, and documents that both add", async () => {
  const base = file(service(80), deployment(1, "a"));
  expect(
    mergeFile(base, file(service(80), deployment(2, "a")), file(service(80), deployment(1, "b")), markers).conflicts,
  ).toBe(1);
  expect(
    await merge(base, file(service(80), deployment(2, "a"), map("m")), file(map("t"), service(81), deployment(1, "b"))),
  ).toEqual({ kind: "merged", text: file(map("t"), service(81), deployment(2, "b"), map("m")) });
});

it("a document that one side moved, and one that a side took out", async () => {
  const base = file(service(80), deployment(1, "a"), map("x"));
  expect(
    await merge(base, file(map("x"), service(80), deployment(1, "a")), file(service(81), deployment(1, "a"), map("x"))),
  ).toEqual({
    kind: "merged",
    text: file(map("x"), service(81), deployment(1, "a")),
  });
  expect(await merge(base, file(service(80), deployment(2, "a")), file(deployment(1, "a"), map("x")))).toEqual({
    kind: "merged",
    text: deployment(2, "a"),
  });
});

it("a conflict stands between markers in its document, and is told by the document's name", async () => {
  const base = file(service(80), deployment(1, "a"));
  const result = await merge(base, file(service(80), deployment(2, "a")), file(service(81), deployment(3, "a")));
  expect(result).toMatchObject({
    kind: "conflict",
    conflicts: [{ path: ["Deployment web", "spec", "replicas"], base: 1, mine: 2, theirs: 3 }],
    mine: file(service(81), deployment(2, "a")),
    theirs: file(service(81), deployment(3, "a")),
  });
  expect(result.text).toBe(
    file(service(81), deployment(1, "a")).replace(
      "  replicas: 1\n",
      "<<<<<<< mine\n  replicas: 2\n=======\n  replicas: 3\n>>>>>>> theirs\n",
    ),
  );
});

it("taken out by one side and changed by the other is a conflict; renamed by one, and the lines merge, is none", async () => {
  const base = file(service(80), deployment(1, "a"));
  expect(await merge(base, service(80), file(service(80), deployment(2, "a")))).toMatchObject({
    kind: "conflict",
    conflicts: [{ path: ["Deployment web"] }],
    mine: service(80),
  });
  const renamed = base.replace("kind: Service", "kind: Route");
  expect(await merge(base, renamed, base.replace("80", "81"))).toEqual({
    kind: "merged",
    text: renamed.replace("80", "81"),
  });
});

it("documents without a name by their position; one that can't be read by its lines", async () => {
  const base = file("a: 1\nb: 1\n", "{{ if .x }}\nc: 1\n{{ end }}\n", "d: 1\ne: 1\n");
  const mine = base.replace("a: 1", "a: 2").replace("e: 1", "e: 2");
  const theirs = base.replace("b: 1", "b: 3").replace("c: 1", "c: 3").replace("d: 1", "d: 3");
  expect(await merge(base, mine, theirs)).toEqual({
    kind: "merged",
    text: mine.replace("b: 1", "b: 3").replace("c: 1", "c: 3").replace("d: 1", "d: 3"),
  });
});

it("what can't be told apart is merged by line, as git does it", async () => {
  const base = file("a: 1\nb: 1\n", "a: 5\nb: 5\n");
  const cases = [
    [file("a: 2\nb: 1\n", "a: 5\nb: 5\n"), file("a: 1\nb: 3\n", "c: 1\n", "a: 5\nb: 5\n")],
    // The first went and another came at the end: the positions say nothing.
    [file("a: 5\nb: 5\n", "a: 9\nb: 9\n"), file("a: 1\nb: 3\n", "a: 5\nb: 5\n")],
  ] as const;
  for (const [mine, theirs] of cases)
    expect((await merge(base, mine, theirs)).text).toBe(mergeFile(base, mine, theirs, markers).text);
});

it("marks and line breaks stay as the file has them", async () => {
  const crlf = (text: string) => text.replaceAll("\n", "\r\n");
  const base = crlf(file(service(80), deployment(1, "a"))).trimEnd();
  const theirs = `${base.replace(": a", ": b")}\r\n---\r\n${crlf(map("t"))}`;
  expect(await merge(base, base.replace("replicas: 1", "replicas: 2"), theirs)).toEqual({
    kind: "merged",
    text: theirs.replace("replicas: 1", "replicas: 2"),
  });
  const marked = `---\n${file(service(80), deployment(1, "a"))}`;
  expect(await merge(marked, marked.replace("80", "81"), `---\n${deployment(1, "b")}`)).toMatchObject({
    kind: "conflict",
  });
});
