import { readFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { InputError } from "../../core/diagnostic.ts";
import { readBySchema } from "../render/yaml.ts";

/** Bytes that stand in the kubeconfig, or in a file it names. */
export type Material =
  | { readonly kind: "inline"; readonly base64: string }
  | { readonly kind: "file"; readonly path: string };

export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "token-file"; readonly path: string }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | { readonly kind: "exec"; readonly plugin: ExecPlugin };

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where a relative command is looked for. */
  readonly folder: string;
}

/** How to reach a cluster, as a kubeconfig (or a pod's surroundings) says it. */
export interface ClusterAccess {
  readonly server: string;
  readonly authority: Material | undefined;
  readonly insecure: boolean;
  readonly serverName: string | undefined;
  readonly certificate: Material | undefined;
  readonly key: Material | undefined;
  readonly credentials: Credentials;
}

const text = v.optional(v.nullable(v.string()));
const flag = v.optional(v.nullable(v.boolean()));

const clusterSchema = v.object({
  server: v.string(),
  "certificate-authority": text,
  "certificate-authority-data": text,
  "insecure-skip-tls-verify": flag,
  "tls-server-name": text,
  "proxy-url": text,
});

const execSchema = v.object({
  apiVersion: v.string(),
  command: v.string(),
  args: v.optional(v.nullable(v.array(v.string()))),
  env: v.optional(v.nullable(v.array(v.object({ name: v.string(), value: v.string() })))),
});

const userSchema = v.object({
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
  exec: v.optional(v.nullable(execSchema)),
  "auth-provider": v.optional(v.unknown()),
});

const list = <K extends string, S extends v.GenericSchema>(member: K, schema: S) =>
  v.optional(
    v.nullable(
      v.array(
        v.object({ name: v.string(), [member]: schema } as { name: v.StringSchema<undefined> } & { [M in K]: S }),
      ),
    ),
    [],
  );

const fileSchema = v.object({
  "current-context": text,
  clusters: list("cluster", clusterSchema),
  users: list("user", v.optional(v.nullable(userSchema), {})),
  contexts: list("context", v.object({ cluster: v.string(), user: v.optional(v.nullable(v.string()), "") })),
});

interface KubeconfigText {
  readonly path: string;
  readonly text: string;
}

/**
 * The access a context gives. Of several files, the first that has a name (or a current context) counts, as for
 * kubectl.
 */
export function readKubeconfig(files: readonly KubeconfigText[], wanted: string | undefined): ClusterAccess {
  const parsed = files.map(({ path, text }) => {
    const said = { file: path, code: "invalid-kubeconfig", what: "kubeconfig" } as const;
    return { path, config: readBySchema(text, v.nullish(fileSchema, {}), said) };
  });
  const shown = files.map((file) => file.path).join(", ");
  const current = wanted ?? parsed.map(({ config }) => config["current-context"]).find((name) => (name ?? "") !== "");
  if (!current) throw problem(shown, "no current-context; choose one with --context");
  const context = findNamed(
    parsed.map(({ path, config }) => ({ path, entries: config.contexts ?? [] })),
    current,
  );
  if (!context) throw problem(shown, `no context '${current}'`);
  const cluster = findNamed(
    parsed.map(({ path, config }) => ({ path, entries: config.clusters ?? [] })),
    context.entry.context.cluster,
  );
  const { cluster: clusterName } = context.entry.context;
  if (!cluster)
    throw problem(context.path, `context '${current}' names the cluster '${clusterName}', which is not there`);
  const user = findNamed(
    parsed.map(({ path, config }) => ({ path, entries: config.users ?? [] })),
    context.entry.context.user ?? "",
  );
  return accessOf(
    { path: cluster.path, cluster: cluster.entry.cluster },
    { path: user?.path ?? context.path, user: user?.entry.user ?? {} },
  );
}

type Cluster = v.InferOutput<typeof clusterSchema>;
type User = v.InferOutput<typeof userSchema>;

function accessOf(
  { path, cluster }: { path: string; cluster: Cluster },
  { path: userPath, user }: { path: string; user: User },
): ClusterAccess {
  if (!URL.canParse(cluster.server) || !["https:", "http:"].includes(new URL(cluster.server).protocol))
    throw problem(path, `the server of its cluster is no address; write https://HOST:PORT`);
  if (cluster["proxy-url"])
    throw problem(path, "proxy-url is not supported; reach the cluster directly, or through a local port");
  if (user["auth-provider"])
    throw problem(userPath, "auth-provider was removed from Kubernetes; use an exec plugin instead");
  return {
    server: cluster.server,
    authority: material(path, cluster["certificate-authority-data"], cluster["certificate-authority"]),
    insecure: cluster["insecure-skip-tls-verify"] === true,
    serverName: cluster["tls-server-name"] ?? undefined,
    certificate: material(userPath, user["client-certificate-data"], user["client-certificate"]),
    key: material(userPath, user["client-key-data"], user["client-key"]),
    credentials: credentialsOf(userPath, user),
  };
}

function credentialsOf(path: string, user: User): Credentials {
  const { token, tokenFile, username, password, exec } = user;
  if (token) return { kind: "token", token };
  if (tokenFile) return { kind: "token-file", path: resolve(dirname(path), tokenFile) };
  if (username) return { kind: "basic", username, password: password ?? "" };
  if (!exec) return { kind: "none" };
  const env = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  return {
    kind: "exec",
    plugin: { apiVersion: exec.apiVersion, command: exec.command, args: exec.args ?? [], env, folder: dirname(path) },
  };
}

function material(
  path: string,
  inline: string | null | undefined,
  file: string | null | undefined,
): Material | undefined {
  if (inline) return { kind: "inline", base64: inline };
  return file ? { kind: "file", path: resolve(dirname(path), file) } : undefined;
}

function findNamed<E extends { readonly name: string }>(
  lists: readonly { readonly path: string; readonly entries: readonly E[] }[],
  name: string,
): { path: string; entry: E } | undefined {
  for (const { path, entries } of lists) {
    const entry = entries.find((each) => each.name === name);
    if (entry) return { path, entry };
  }
  return undefined;
}

function problem(path: string, message: string): InputError {
  return new InputError({ code: "invalid-kubeconfig", message, file: path });
}

interface AccessOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string | undefined;
}

const podFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Find the cluster: `--kubeconfig`, else the pod's own, else `$KUBECONFIG`, else `~/.kube/config`. */
export async function findAccess(options: AccessOptions): Promise<ClusterAccess> {
  const { kubeconfig, context, env, home } = options;
  if (kubeconfig !== undefined) {
    const file = await readIfThere(kubeconfig);
    if (file === undefined) throw problem(kubeconfig, "no such file");
    return readKubeconfig([file], context);
  }
  if (context === undefined && env.KUBERNETES_SERVICE_HOST) return podAccess(env);
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  const paths = listed.length > 0 ? listed : home === undefined ? [] : [join(home, ".kube", "config")];
  const files = await Promise.all(paths.map(readIfThere));
  const found = files.filter((file) => file !== undefined);
  if (found.length > 0) return readKubeconfig(found, context);
  const message = `no cluster to talk to: not in a pod, and no kubeconfig (${paths.join(", ") || "no home"}); give --kubeconfig, or work offline with --services`;
  throw new InputError({ code: "no-cluster", message });
}

function podAccess(env: Readonly<Record<string, string | undefined>>): ClusterAccess {
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? "443"}`,
    authority: { kind: "file", path: `${podFolder}/ca.crt` },
    insecure: false,
    serverName: undefined,
    certificate: undefined,
    key: undefined,
    credentials: { kind: "token-file", path: `${podFolder}/token` },
  };
}

async function readIfThere(path: string): Promise<KubeconfigText | undefined> {
  try {
    return { path, text: await readFile(path, "utf8") };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw problem(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
