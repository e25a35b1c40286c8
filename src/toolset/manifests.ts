import type { Value } from "../core/value.ts";
import { yamlLines } from "./render/yaml.ts";
import type { ObjectName } from "./tool.ts";

export interface DeployOptions {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly replicas: number;
  readonly watchNamespaces: readonly string[];
  readonly overridesConfigMap: string | undefined;
  readonly restart: string | undefined;
  /** The Deployment whose image is read. */
  readonly holmesDeployment: ObjectName | undefined;
  /** The text of the user's own detectors. */
  readonly detectors: string | undefined;
  /** What else `run` is told. */
  readonly extraArguments: readonly string[];
}

type KubeObject = { readonly [name: string]: Value };

/** One file of the kustomize base, or of one of its components. */
export interface DeployManifest {
  readonly file: string;
  readonly objects: readonly KubeObject[];
}

const app = "stet-toolset";
const labels = { "app.kubernetes.io/name": app };
const port = 8080;

/** Everything needed to run the controller, in the order it can be applied. */
export function manifests(options: DeployOptions): DeployManifest[] {
  return [
    { file: "namespace.yaml", objects: [namespaceObject(options)] },
    { file: "rbac.yaml", objects: [account(options), ...reading(options), ...writing(options)] },
    ...(options.detectors === undefined
      ? []
      : [{ file: "detectors.yaml", objects: [detectorsObject(options, options.detectors)] }]),
    { file: "deployment.yaml", objects: [deployment(options)] },
    { file: "service.yaml", objects: [service(options)] },
  ];
}

/** Objects that not every cluster takes or wants: they need the Prometheus operator, or a network plugin. */
export function monitoring(options: DeployOptions): DeployManifest {
  return { file: "monitoring.yaml", objects: [serviceMonitor(options), alerts(options)] };
}

/** Kubernetes knows it from 1.21 on. */
export function disruptionBudgets(options: DeployOptions): DeployManifest {
  return { file: "disruption-budget.yaml", objects: [disruptionBudget(options)] };
}

export function networkPolicies(options: DeployOptions): DeployManifest {
  return { file: "network-policy.yaml", objects: [networkPolicy(options)] };
}

/** A part that can be added to the base by naming it under `components`. */
export interface Component {
  readonly name: string;
  readonly manifests: readonly DeployManifest[];
  /** Changes of the base's objects. */
  readonly patches: readonly KubeObject[];
}

export function components(options: DeployOptions): Component[] {
  const target = { kind: "Deployment", name: app };
  const addArguments = (...args: string[]): KubeObject => ({
    target,
    patch: args.map((arg) => `- {op: add, path: /spec/template/spec/containers/0/args/-, value: "${arg}"}\n`).join(""),
  });
  const own = { ...options, watchNamespaces: [options.namespace] };
  return [
    {
      name: "namespaced",
      manifests: [{ file: "rbac.yaml", objects: reading(own) }],
      patches: [
        removed("ClusterRole"),
        removed("ClusterRoleBinding"),
        addArguments(`--watch-namespace=${options.namespace}`),
      ],
    },
    {
      name: "restart",
      manifests: [{ file: "rbac.yaml", objects: restarting(options, "holmes-holmes") }],
      patches: [addArguments("--restart=deployment/holmes-holmes")],
    },
    { name: "monitoring", manifests: [monitoring(options)], patches: [] },
    { name: "network-policy", manifests: [networkPolicies(options)], patches: [] },
    {
      name: "two-replicas",
      manifests: [disruptionBudgets(options)],
      patches: [{ target, patch: "- {op: replace, path: /spec/replicas, value: 2}\n" }],
    },
  ];
}

function removed(kind: string): KubeObject {
  const patch = `$patch: delete\napiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata: {name: ${app}}\n`;
  return { target: { kind, name: app }, patch };
}

export function manifestText({ objects }: DeployManifest): string {
  return `${objects.map((object) => yamlLines(object, "").join("\n")).join("\n---\n")}\n`;
}

export function kustomization(all: readonly DeployManifest[], parts: readonly Component[]): string {
  const resources = all.map(({ file }) => file);
  const text = yamlLines({ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources }, "").join(
    "\n",
  );
  const lines = parts.map(({ name }) => `#   - components/${name}\n`).join("");
  return `${text}\n# What can be added:\n# components:\n${lines}`;
}

export function componentText({ manifests: all, patches }: Component): string {
  const resources = all.map(({ file }) => file);
  const root = {
    apiVersion: "kustomize.config.k8s.io/v1alpha1",
    kind: "Component",
    resources,
    ...(patches.length === 0 ? {} : { patches }),
  };
  return `${yamlLines(root, "").join("\n")}\n`;
}

/** Our pods need nothing that the strictest standard forbids. It is only warned about: HolmesGPT may live here, too. */
function namespaceObject({ namespace }: DeployOptions): KubeObject {
  const labels = { "pod-security.kubernetes.io/warn": "restricted", "pod-security.kubernetes.io/audit": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } };
}

function meta({ namespace }: Pick<DeployOptions, "namespace">, name = app) {
  return { name, namespace, labels };
}

function account(options: DeployOptions): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: meta(options) };
}

/** Looking at Services: in the whole cluster, or only where we were told to look. */
function reading(options: DeployOptions): KubeObject[] {
  const rules = [{ apiGroups: [""], resources: ["services"], verbs: ["list", "watch"] }];
  if (options.watchNamespaces.length === 0) return role(options, "ClusterRole", { name: app, labels }, rules);
  return options.watchNamespaces.flatMap((namespace) =>
    role(options, "Role", meta({ namespace }, `${app}-services`), rules),
  );
}

/**
 * Writing: our ConfigMap, our Lease, Events, and the Deployment to restart; each by name, where Kubernetes can tell
 * names (not on create).
 */
function writing(options: DeployOptions): KubeObject[] {
  const { name, overridesConfigMap, restart, holmesDeployment } = options;
  const core = (resource: string, verbs: string[], ...resourceNames: string[]) =>
    ruleOf("", resource, verbs, resourceNames);
  const leases = (verbs: string[], ...resourceNames: string[]) =>
    ruleOf("coordination.k8s.io", "leases", verbs, resourceNames);
  const rules = [
    core("configmaps", ["create"]),
    core("configmaps", ["get", "list", "watch", "patch"], name),
    core("events", ["create", "patch"]),
    leases(["create"]),
    leases(["get", "update"], `${name}-leader`),
    ...(overridesConfigMap === undefined ? [] : [core("configmaps", ["get", "list", "watch"], overridesConfigMap)]),
  ];
  return [
    ...role(options, "Role", meta(options), rules),
    ...(restart === undefined ? [] : restarting(options, restart)),
    ...(holmesDeployment === undefined ? [] : lookingAtHolmes(options, holmesDeployment)),
  ];
}

function restarting(options: DeployOptions, deployment: string): KubeObject[] {
  const rules = [ruleOf("apps", "deployments", ["get", "patch"], [deployment])];
  return role(options, "Role", meta(options, `${app}-restart`), rules);
}

function lookingAtHolmes(options: DeployOptions, { namespace, name }: ObjectName): KubeObject[] {
  const rules = [ruleOf("apps", "deployments", ["get"], [name])];
  return role(options, "Role", meta({ namespace }, `${app}-holmes`), rules);
}

function ruleOf(group: string, resource: string, verbs: string[], resourceNames: string[]): Value {
  return { apiGroups: [group], resources: [resource], ...(resourceNames.length > 0 && { resourceNames }), verbs };
}

/** A role, and what gives it to our account. */
function role(
  { namespace }: DeployOptions,
  kind: "Role" | "ClusterRole",
  metadata: KubeObject & { readonly name: string },
  rules: readonly Value[],
): KubeObject[] {
  const group = "rbac.authorization.k8s.io";
  const apiVersion = `${group}/v1`;
  const roleRef = { apiGroup: group, kind, name: metadata.name };
  const subjects = [{ kind: "ServiceAccount", name: app, namespace }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

function deployment(options: DeployOptions): KubeObject {
  const pod = {
    serviceAccountName: app,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [container(options)],
    ...(options.detectors === undefined
      ? {}
      : { volumes: [{ name: "detectors", configMap: { name: `${app}-detectors` } }] }),
    ...(options.replicas > 1 ? { topologySpreadConstraints: [spread] } : {}),
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: meta(options),
    spec: {
      replicas: options.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: pod },
    },
  };
}

/** On different nodes, where there are several. */
const spread = {
  maxSkew: 1,
  topologyKey: "kubernetes.io/hostname",
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: labels },
};

function container(options: DeployOptions): Value {
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
    ...(options.detectors === undefined
      ? {}
      : { volumeMounts: [{ name: "detectors", mountPath: "/etc/stet", readOnly: true }] }),
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
  };
}

function containerArguments(options: DeployOptions): string[] {
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
    ...(options.detectors === undefined ? [] : ["--detectors=/etc/stet/detectors.yaml"]),
    ...options.extraArguments,
  ];
}

function service(options: DeployOptions): KubeObject {
  const ports = [{ name: "http", port, targetPort: "http", protocol: "TCP" }];
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: meta(options),
    spec: { selector: labels, ports },
  };
}

function detectorsObject(options: DeployOptions, text: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: meta(options, `${app}-detectors`),
    data: { "detectors.yaml": text },
  };
}

function disruptionBudget(options: DeployOptions): KubeObject {
  const spec = { maxUnavailable: 1, selector: { matchLabels: labels } };
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: meta(options), spec };
}

/** In: probes and metrics. Out: names, the API server, and the Services that are asked for their health. */
function networkPolicy(options: DeployOptions): KubeObject {
  const dns = [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ];
  const spec = {
    podSelector: { matchLabels: labels },
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ ports: [{ protocol: "TCP", port }] }],
    egress: [
      { ports: dns },
      {
        ports: [
          { protocol: "TCP", port: 443 },
          { protocol: "TCP", port: 6443 },
        ],
      },
      { to: [{ namespaceSelector: {} }] },
    ],
  };
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: meta(options), spec };
}

function serviceMonitor(options: DeployOptions): KubeObject {
  const spec = {
    selector: { matchLabels: labels },
    endpoints: [{ port: "http", path: "/metrics", interval: "30s" }],
  };
  return { apiVersion: "monitoring.coreos.com/v1", kind: "ServiceMonitor", metadata: meta(options), spec };
}

function alerts(options: DeployOptions): KubeObject {
  const rule = (alert: string, expr: string, wait: string, severity: string, summary: string): Value => ({
    alert,
    expr,
    for: wait,
    labels: { severity },
    annotations: { summary },
  });
  // Only who leads looks: what another replica shows is as old as its own time in office.
  const rules = [
    rule(
      "ToolsetOverridesInvalid",
      "min(dynamictoolset_overrides_valid and dynamictoolset_leader == 1) == 0",
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
      "max(dynamictoolset_configmap_bytes and dynamictoolset_leader == 1) > 943718",
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
