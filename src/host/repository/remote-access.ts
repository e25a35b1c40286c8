import { readFileSync } from "node:fs";
import { InputError } from "../../core/diagnostic.ts";
import { withoutCredentials } from "./git.ts";

/** How to get into a remote: all of it from files, none of it ever in an argument or a log. */
export interface RemoteAccess {
  readonly sshKey: string | undefined;
  readonly knownHosts: string | undefined;
  readonly tokenFile: string | undefined;
}

/** `ssh://-oProxyCommand=…`, `-o@host:x`, `git@host:-x`. */
const dashed = /^(?:[a-z][a-z0-9+.-]*:\/\/)?-|^[^/]*:-/i;
const scpLike = /^[\w.-]+@[\w.-]+:(?!\/\/)\S+$/;

/** Whether `--repo` names a remote rather than a folder. */
export function isRemote(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(repo) || scpLike.test(repo) || /^[a-z]+::/.test(repo);
}

/** Only ssh, https and file, and no password inside: an address ends up in process lists. */
export function checkRemote(url: string): void {
  const refuse = (message: string) =>
    new InputError({ code: "invalid-remote", message: `${withoutCredentials(url)}: ${message}` });
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // Git and ssh would take it for an option.
  if (dashed.test(url)) throw refuse("begins with a dash where a user, a host or a path should stand");
  if (scpLike.test(url)) return;
  if (parsed === undefined || !["ssh:", "https:", "file:"].includes(parsed.protocol))
    throw refuse("a remote is ssh://, https://, file:// or user@host:path");
  if (parsed.password !== "" || (parsed.protocol === "https:" && parsed.username !== "")) {
    throw refuse("holds a user name or password; keep them out of the address and give --token-file");
  }
}

/** Variables for Git's environment, which other users can't read. */
export function accessEnvironment(access: RemoteAccess): Record<string, string> {
  const words = ["ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=15"];
  if (access.sshKey !== undefined) words.push("-F", "/dev/null", "-i", access.sshKey, "-o", "IdentitiesOnly=yes");
  if (access.knownHosts !== undefined)
    words.push("-o", `UserKnownHostsFile=${sshQuoted(access.knownHosts)}`, "-o", "GlobalKnownHostsFile=/dev/null");
  return {
    GIT_SSH_COMMAND: words.map(shellQuoted).join(" "),
    GIT_SSH_VARIANT: "ssh",
    GIT_ALLOW_PROTOCOL: "ssh:https:file",
  };
}

/** Configuration that carries the token, for this remote's address only and not beyond a redirect. */
export function accessConfig(access: RemoteAccess, url: string): Record<string, string> {
  if (access.tokenFile === undefined || !url.startsWith("https://")) return {};
  const token = readToken(access.tokenFile);
  const login = token.includes(":") ? token : `x-access-token:${token}`;
  const header = `Authorization: Basic ${Buffer.from(login).toString("base64")}`;
  return { [`http.${new URL(url).origin}/.extraHeader`]: header, "http.followRedirects": "false" };
}

/**
 * Git, refused by a server, tries to ask for a name and says that it may not. What a person has to do is another thing.
 */
export function explainRefusal(message: string, { tokenFile }: RemoteAccess): string {
  if (!/could not read (Username|Password)/.test(message)) return message;
  return tokenFile === undefined
    ? "it asks for a login: give --token-file"
    : `it does not accept the token in ${tokenFile}`;
}

function readToken(file: string): string {
  try {
    const token = readFileSync(file, "utf8").trim();
    if (token !== "" && !/\s/.test(token)) return token;
  } catch (error) {
    throw new InputError({
      code: "unreadable-file",
      file,
      message: `the token can't be read (${(error as NodeJS.ErrnoException).code})`,
    });
  }
  throw new InputError({
    code: "unreadable-file",
    file,
    message: "must hold one token, or user:token, and nothing else",
  });
}

/** Git gives the command to a shell: every word as it is. */
function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** ssh splits a list of files at blanks, and knows double quotes. */
function sshQuoted(path: string): string {
  return /[\s"]/.test(path) ? `"${path.replaceAll('"', '\\"')}"` : path;
}
