// needs: quadlet
import { expect, test } from "vitest";
import { parseUnitName, runtimeUnit } from "../../../src/host/units/unit-kind.ts";
import { quadletCases } from "../../host/quadlet-cases.ts";
import { generate } from "./generator.ts";

test.each(quadletCases)("podman itself refuses: $name", ({ file, text, repaired }) => {
  const refused = generate(new Map([[file, text]]));
  expect({ status: refused.status, units: refused.units.size }, refused.log).toEqual({ status: 1, units: 0 });
  const accepted = generate(new Map([[file, repaired]]));
  expect({ status: accepted.status, units: accepted.units.size }, accepted.log).toEqual({ status: 0, units: 1 });
});

const contents = {
  container: "[Container]\nImage=localhost/a:1\n",
  volume: "[Volume]\n",
  network: "[Network]\n",
  pod: "[Pod]\n",
  kube: "[Kube]\nYaml=/a.yml\n",
  image: "[Image]\nImage=localhost/a:1\n",
  build: "[Build]\nImageTag=localhost/a\nFile=/a\n",
};

test.each(Object.entries(contents))("a .%s is named as podman names it, templates and instances, too", (type, text) => {
  for (const stem of ["foo", "foo@", "foo@a", "foo-bar@a.b"]) {
    const name = `${stem}.${type}`;
    const made = [...generate(new Map([[name, text]])).units.keys()];
    expect([runtimeUnit(parseUnitName(name)!, undefined)], name).toEqual(made);
  }
});
