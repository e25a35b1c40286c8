import { defineGroup } from "../shell/command.ts";

export const command = defineGroup({
  name: "host",
  about: `Turns a Git repository of shared services and host overlays into the Quadlet files,
units and configuration of one host, and keeps the host that way.`,
  commands: {
    init: {
      summary: "make a first repository, from a folder of units or from what runs here",
      load: async () => ({ command: (await import("./evaluate.ts")).initHostCommand }),
    },
    evaluate: {
      summary: "print the desired state of this host",
      load: async () => ({ command: (await import("./evaluate.ts")).evaluateHostCommand }),
    },
    check: {
      summary: "check every host of the repository",
      load: async () => ({ command: (await import("./evaluate.ts")).checkHostCommand }),
    },
    show: {
      summary: "print a unit with its drop-ins merged in, each line with its file",
      load: async () => ({ command: (await import("./evaluate.ts")).showHostCommand }),
    },
    diff: {
      summary: "show what changes on hosts between two revisions, for pull requests",
      load: () => import("./diff.ts"),
    },
    plan: {
      summary: "show what apply would change on this host, and why",
      load: async () => ({ command: (await import("./apply.ts")).planHostCommand }),
    },
    apply: {
      summary: "make this host match the repository",
      load: async () => ({ command: (await import("./apply.ts")).applyHostCommand }),
    },
    status: {
      summary: "show what is managed here, what was edited, and which units are down",
      load: async () => ({ command: (await import("./status.ts")).statusHostCommand }),
    },
    watch: {
      summary: "apply whenever the repository or the host changes",
      load: async () => ({ command: (await import("./apply.ts")).watchHostCommand }),
    },
    history: {
      summary: "list what was applied, and when",
      load: async () => ({ command: (await import("./status.ts")).historyHostCommand }),
    },
    pause: {
      summary: "for maintenance: change nothing until the pause ends",
      load: async () => ({ command: (await import("./apply.ts")).pauseHostCommand }),
    },
    resume: { summary: "end a pause", load: async () => ({ command: (await import("./apply.ts")).resumeHostCommand }) },
    rollback: {
      summary: "go back to the state before the last commit, or to a generation",
      load: async () => ({ command: (await import("./apply.ts")).rollbackHostCommand }),
    },
  },
  example: "stet host plan --repo ~/homelab --host kadath --diff",
});
