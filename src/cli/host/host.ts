import { defineGroup } from "../shell/command.ts";

export const command = defineGroup({
  name: "host",
  about: `Turns a repository of shared services and host overlays into the Quadlet files,
units and configuration of one host, and keeps the host that way.`,
  commands: {
    init: {
      summary: "a first repository, from unit files in a folder, or from what runs here",
      load: async () => ({ command: (await import("./evaluate.ts")).initHostCommand }),
    },
    evaluate: {
      summary: "the desired state of this host",
      load: async () => ({ command: (await import("./evaluate.ts")).evaluateHostCommand }),
    },
    check: {
      summary: "every host of the repository, all diagnostics",
      load: async () => ({ command: (await import("./evaluate.ts")).checkHostCommand }),
    },
    show: {
      summary: "a unit with all its drop-ins merged in, each line with its file",
      load: async () => ({ command: (await import("./evaluate.ts")).showHostCommand }),
    },
    diff: {
      summary: "what changes on hosts between two revisions, for pull requests",
      load: () => import("./diff.ts"),
    },
    plan: {
      summary: "what apply would change on this host, and why",
      load: async () => ({ command: (await import("./apply.ts")).planHostCommand }),
    },
    apply: {
      summary: "make this host what the repository says",
      load: async () => ({ command: (await import("./apply.ts")).applyHostCommand }),
    },
    status: {
      summary: "what is managed here, what was edited, which units are down",
      load: async () => ({ command: (await import("./status.ts")).statusHostCommand }),
    },
    watch: {
      summary: "apply whenever the repository changes, or the host",
      load: async () => ({ command: (await import("./apply.ts")).watchHostCommand }),
    },
    history: {
      summary: "what was applied, and when",
      load: async () => ({ command: (await import("./status.ts")).historyHostCommand }),
    },
    pause: {
      summary: "for maintenance: nothing is started or undone until it ends",
      load: async () => ({ command: (await import("./apply.ts")).pauseHostCommand }),
    },
    resume: { summary: "end a pause", load: async () => ({ command: (await import("./apply.ts")).resumeHostCommand }) },
    rollback: {
      summary: "back to the state before the last commit, or to a generation",
      load: async () => ({ command: (await import("./apply.ts")).rollbackHostCommand }),
    },
  },
  example: "stet host plan --repo ~/homelab --host kadath --diff",
});
