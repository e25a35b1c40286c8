/** What may stand anywhere in the repository and means nothing to us: notes for people, and Git's own files. */
const ignorable = new Set([".gitkeep", ".gitignore", ".gitattributes", ".keep"]);
const notes = /^(README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|CONTRIBUTING|AUTHORS|TODO)(\.[A-Za-z]+|-[\w.-]+)?$/i;

export function isIgnorable(name: string): boolean {
  return ignorable.has(name);
}

/**
 * Notes, and files whose names begin with a dot, may stand beside a service's or host's own folders, not inside them:
 * podman and systemd would look at them there.
 */
export function isNote(name: string): boolean {
  return notes.test(name) || name.startsWith(".");
}

export const servicesFolder = "services";
export const hostsFolder = "hosts";
