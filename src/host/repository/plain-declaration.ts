import type { HostDeclaration, SelectedService } from "./host-declaration.ts";

/** A name that means itself in YAML, whatever stands around it. */
const plainName = /^[A-Za-z][A-Za-z0-9_-]*$/;
const otherMeaning = new Set(["true", "false", "null", "yes", "no", "on", "off", "y", "n"]);

/**
 * The form that nearly every host.yaml has: `host:` with a name, `services:` with one name a line, and comments on lines of their own. Reading it
 * so costs a fraction of a YAML parser, which a check of a thousand hosts would feel. Anything else, and anything wrong, is undefined: then
 * the parser reads it, and says what is wrong.
 */
export function readPlainDeclaration(text: string, folder: string): HostDeclaration | undefined {
  let host: string | undefined;
  let inServices = false;
  const services = new Map<string, SelectedService>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    if (line.startsWith("  - ")) {
      const name = line.slice(4);
      if (!inServices || !isPlain(name) || services.has(name)) return undefined;
      services.set(name, { name, line: index + 1, column: 5 });
    } else if (line === "services:" && !inServices) inServices = true;
    else if (line.startsWith("host: ") && host === undefined && services.size === 0 && !inServices && isPlain(line.slice(6)))
      host = line.slice(6);
    else return undefined;
  }
  return host === folder && services.size > 0 ? { host, services: [...services.values()] } : undefined;
}

function isPlain(name: string): boolean {
  return plainName.test(name) && name.length <= 200 && !otherMeaning.has(name.toLowerCase());
}
