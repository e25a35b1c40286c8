import { defineGroup } from "../shell/command.ts";

export const command = defineGroup({
  name: "toolset",
  about: `Keeps a ConfigMap of tools for HolmesGPT current: the tools discovered in the cluster,
with your overrides on top.`,
  commands: {
    plan: {
      summary: "show what would change in the ConfigMap, and why",
      load: async () => ({ command: (await import("./plan.ts")).planToolsetCommand }),
    },
    apply: {
      summary: "bring the ConfigMap up to date (offline: print it)",
      load: async () => ({ command: (await import("./plan.ts")).applyToolsetCommand }),
    },
    status: {
      summary: "list every tool, and every Service that is not used, with the reason",
      load: async () => ({ command: (await import("./plan.ts")).statusToolsetCommand }),
    },
    run: {
      summary: "run the controller: apply whenever something changes",
      load: async () => ({ command: (await import("./run.ts")).runToolsetCommand }),
    },
    manifests: {
      summary: "print everything needed to deploy the controller",
      load: async () => ({ command: (await import("./run.ts")).manifestsToolsetCommand }),
    },
  },
  example: "kubectl get services -A -o json | stet toolset plan --services - --diff",
});
