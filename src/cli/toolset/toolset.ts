import { InputError } from "../../core/diagnostic.ts";
import type { Command } from "../shell/io.ts";

const help = `usage: stet toolset plan | apply | run | manifests [options]

Keeps a ConfigMap of tools for HolmesGPT current: what is discovered in the cluster, with your overrides on top.

  plan        what would change and why
  apply       the same, done (offline: prints the resulting ConfigMap)
  run         the controller: does it again whenever something changes
  manifests   everything needed to deploy the controller

  -n, --namespace NS            the ConfigMap's namespace (kubernaut-system)
      --configmap-name NAME     the ConfigMap's name (kubernaut-toolset-config)
      --kubeconfig FILE         default: in-cluster, else $KUBECONFIG, else ~/.kube/config
      --context NAME            a context of the kubeconfig
      --watch-namespace NS      look for Services only there; repeatable (all)
      --overrides-configmap NAME  overrides kept in an object of their own, only read
      --detectors FILE          more kinds of services to recognise

plan, apply:
      --services FILE           offline: Services from a file (- is stdin); no cluster is asked
      --configmap FILE          offline: the ConfigMap as it is (- is stdin); left out: there is none yet
      --json                    one JSON document; offline with the resulting "configMap" in it
      --diff                    show changed lines
      --exit-code               plan: exit 2 if an apply would change something
      --strict                  apply: exit 3 if your overrides stand over discovered tools
      --dry-run                 apply: only plan
      --show-secrets            do not mask what looks secret

run:
      --listen ADDRESS          for /health, /ready and /metrics (0.0.0.0:8080)
      --restart deployment/NAME restart HolmesGPT after a change by patching an annotation of its Deployment
      --restart-interval DURATION  and then leave it alone for this long (30s)
      --resync DURATION         look at everything again this often (10m)
      --no-health-checks        take Services as tools without asking them
      --health-interval DURATION, --health-timeout DURATION, --health-grace DURATION   (30s, 5s, 5m)
      --lease-duration DURATION how long a lost leader is waited for (15s)
      --no-leader-election      for a single replica

manifests:
      --image IMAGE             the controller's image (stet:latest)
      --replicas N              how many, one of them leading (2)
      --restart deployment/NAME also grant and use the right to restart it
      --with-alerts             alert rules, too (needs the Prometheus operator)
      --output-dir DIR          write a kustomize base there instead of printing
      --json                    one JSON List in place of YAML documents

example: kubectl get services -A -o json | stet toolset plan --services - --diff
`;

const subcommands: Readonly<Record<string, () => Promise<Pick<Command, "run">>>> = {
  plan: async () => (await import("./plan.ts")).plan,
  apply: async () => (await import("./plan.ts")).apply,
  run: async () => (await import("./run.ts")).run,
  manifests: async () => (await import("./manifests.ts")).manifests,
};

/** `stet toolset …`: each sub-command is loaded only when it is called. */
export const command: Command = {
  name: "toolset",
  summary: "a ConfigMap of discovered tools for HolmesGPT, with your overrides",
  help,
  async run(args, io) {
    const [name = "", ...rest] = args;
    const load = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (load === undefined) {
      const what = name === "" ? "a sub-command is missing" : `unknown sub-command '${name}'`;
      throw new InputError({ code: "usage", message: `${what}; see: ${io.program} toolset --help` });
    }
    return (await load()).run(rest, io);
  },
};
