/** The name of an npm (or PyPI) package without the version behind it: `@scope/name@1.2` is `@scope/name`, `ruff==0.4` is `ruff`. */
export function packageName(text: string): string {
  const version = text.indexOf("@", 1);
  const name = version === -1 ? text : text.slice(0, version);
  return name.split("==", 1)[0] ?? name;
}
