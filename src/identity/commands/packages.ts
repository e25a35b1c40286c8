/**
 * The name of an npm (or PyPI) package without the version behind it: `@scope/name@1.2` is `@scope/name`, `ruff==0.4`
 * is `ruff`. A path or an address names a package too, and has no version.
 */
export function packageName(text: string): string {
  if (/^[./~$]|:/.test(text)) return text;
  const version = text.indexOf("@", 1);
  const name = version === -1 ? text : text.slice(0, version);
  return name.split("==", 1)[0] ?? name;
}
