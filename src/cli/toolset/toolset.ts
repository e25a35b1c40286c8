import { defineGroup } from "../shell/command.ts";

export const command = defineGroup({
  name: "toolset",
  about: `Keeps a ConfigMap of tools for HolmesGPT current: what is discovered in the cluster,
with your overrides on top.`,
  commands: {
    plan: {
      summary: "what would change in the ConfigMap, and why",
      load: async () => ({ command: (await import("./plan.ts")).planToolsetCommand }),
    },
    apply: {
      summary: "make the ConfigMap current (offline: print it)",
      load: async () => ({ command: (await import("./plan.ts")).applyToolsetCommand }),
    },
    status: {
      summary: "every tool, and every Service that is not used, with the reason",
      load: async () => ({ command: (await import("./plan.ts")).statusToolsetCommand }),
    },
    run: {
      summary: "the controller: does it again whenever something changes",
      load: async () => ({ command: (await import("./run.ts")).runToolsetCommand }),
    },
    manifests: {
      summary: "everything needed to deploy the controller",
      load: async () => ({ command: (await import("./run.ts")).manifestsToolsetCommand }),
    },
  },
  example: "kubectl get services -A -o json | stet toolset plan --services - --diff",
});
