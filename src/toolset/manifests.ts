import type { Value } from "../core/value.ts";
import { yamlLines } from "./render/yaml-text.ts";

export interface ManifestOptions {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly replicas: number;
  readonly watchNamespaces: readonly string[];
  readonly overridesConfigMap: string | undefined;
  readonly restart: string | undefined;
}

/** One file of the kustomize base. */
export interface Manifest {
  readonly file: string;
  readonly objects: readonly { readonly [name: string]: Value }[];
}

const app = "stet-toolset";
const port = 8080;

/** Everything needed to run the controller, in the order it can be applied. */
export function manifests(options: ManifestOptions): Manifest[] {
  return [
    { file: "namespace.yaml", objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: options.namespace } }] },
    { file: "rbac.yaml", objects: [serviceAccount(options), ...reading(options), ...writing(options)] },
    { file: "deployment.yaml", objects: [deployment(options)] },
    { file: "service.yaml", objects: [service(options)] },
    { file: "alerts.yaml", objects: [alerts(options)] },
  ];
}

export function manifestText({ objects }: Manifest): string {
  return `${objects.map((object) => yamlLines(object, "").join("\n")).join("\n---\n")}\n`;
}

/** Alert rules need the Prometheus operator's types, which not every cluster has: they are there to be added. */
export function kustomization(all: readonly Manifest[]): string {
  const resources = all.map(({ file }) => file).filter((file) => file !== "alerts.yaml");
  const text = yamlLines({ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources }, "").join("\n");
  return `${text}\n# With the Prometheus operator in the cluster, add: alerts.yaml\n`;
}

function meta({ namespace }: ManifestOptions, name = app): { [name: string]: Value } {
  return { name, namespace, labels: { "app.kubernetes.io/name": app } };
}

function serviceAccount(options: ManifestOptions): { [name: string]: Value } {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: meta(options) };
}

/** Looking at Services: in the whole cluster, or only where we were told to look. */
function reading(options: ManifestOptions): { [name: string]: Value }[] {
  const rules = [{ apiGroups: [""], resources: ["services"], verbs: ["list", "watch"] }];
  if (options.watchNamespaces.length === 0) {
    const metadata = { name: app, labels: { "app.kubernetes.io/name": app } };
    return [
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata, rules },
      binding("ClusterRoleBinding", "ClusterRole", metadata, app, options),
    ];
  }
  return options.watchNamespaces.flatMap((namespace) => {
    const metadata = meta({ ...options, namespace }, `${app}-services`);
    return [
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules },
      binding("RoleBinding", "Role", metadata, `${app}-services`, options),
    ];
  });
}

/** Writing: our ConfigMap, our Lease, Events, and the Deployment to restart; each by name, where Kubernetes can tell names (not on create). */
function writing(options: ManifestOptions): { [name: string]: Value }[] {
  const { name, overridesConfigMap, restart } = options;
  const rules: Value[] = [
    { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: [name], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [""], resources: ["events"], verbs: ["create"] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: [`${name}-leader`], verbs: ["get", "update"] },
  ];
  if (overridesConfigMap !== undefined) {
    rules.push({ apiGroups: [""], resources: ["configmaps"], resourceNames: [overridesConfigMap], verbs: ["get", "list", "watch"] });
  }
  if (restart !== undefined)
    rules.push({ apiGroups: ["apps"], resources: ["deployments"], resourceNames: [restart], verbs: ["get", "patch"] });
  return [
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: meta(options), rules },
    binding("RoleBinding", "Role", meta(options), app, options),
  ];
}

function binding(kind: string, roleKind: string, metadata: Value, role: string, options: ManifestOptions): { [name: string]: Value } {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: roleKind, name: role },
    subjects: [{ kind: "ServiceAccount", name: app, namespace: options.namespace }],
  };
}

function deployment(options: ManifestOptions): { [name: string]: Value } {
  const labels = { "app.kubernetes.io/name": app };
  const pod = {
    serviceAccountName: app,
    securityContext: { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, seccompProfile: { type: "RuntimeDefault" } },
    containers: [container(options)],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: meta(options),
    spec: { replicas: options.replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
  };
}

function container(options: ManifestOptions): Value {
  const probe = (path: string, periodSeconds: number): Value => ({ httpGet: { path, port: "http" }, periodSeconds });
  return {
    name: "controller",
    image: options.image,
    args: containerArguments(options),
    env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    ports: [{ name: "http", containerPort: port }],
    livenessProbe: probe("/health", 20),
    readinessProbe: probe("/ready", 5),
    resources: { requests: { cpu: "10m", memory: "96Mi" }, limits: { cpu: "500m", memory: "192Mi" } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
  };
}

function containerArguments(options: ManifestOptions): string[] {
  const { namespace, name, watchNamespaces, overridesConfigMap, restart } = options;
  return [
    "toolset",
    "run",
    `--namespace=${namespace}`,
    `--configmap-name=${name}`,
    `--listen=0.0.0.0:${port}`,
    ...watchNamespaces.map((each) => `--watch-namespace=${each}`),
    ...(overridesConfigMap === undefined ? [] : [`--overrides-configmap=${overridesConfigMap}`]),
    ...(restart === undefined ? [] : [`--restart=deployment/${restart}`]),
  ];
}

function service(options: ManifestOptions): { [name: string]: Value } {
  const ports = [{ name: "http", port, targetPort: "http", protocol: "TCP" }];
  return { apiVersion: "v1", kind: "Service", metadata: meta(options), spec: { selector: { "app.kubernetes.io/name": app }, ports } };
}

function alerts(options: ManifestOptions): { [name: string]: Value } {
  const rule = (alert: string, expr: string, wait: string, severity: string, summary: string): Value => ({
    alert,
    expr,
    for: wait,
    labels: { severity },
    annotations: { summary },
  });
  const rules = [
    rule(
      "ToolsetOverridesInvalid",
      "min(dynamictoolset_overrides_valid) == 0",
      "5m",
      "warning",
      "overrides.yaml can't be read; the last good ones are in effect",
    ),
    rule(
      "ToolsetNotReconciled",
      "time() - max(dynamictoolset_last_success_timestamp_seconds) > 1800",
      "5m",
      "warning",
      "The toolset ConfigMap has not been looked after for half an hour",
    ),
    rule(
      "ToolsetNoLeader",
      "max(dynamictoolset_leader) < 1 or absent(dynamictoolset_leader)",
      "5m",
      "critical",
      "No replica of the toolset controller leads",
    ),
    rule(
      "ToolsetConfigMapLarge",
      "max(dynamictoolset_configmap_bytes) > 943718",
      "10m",
      "warning",
      "The toolset ConfigMap is close to the size a cluster takes",
    ),
  ];
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: meta(options),
    spec: { groups: [{ name: app, rules }] },
  };
}
