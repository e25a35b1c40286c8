import { defineGroup } from "../shell/command.ts";

export const command = defineGroup({
  name: "host",
  about: `Turns a repository of shared services and host overlays into the Quadlet files,
units and configuration of one host, and keeps the host so.`,
  commands: {
    init: {
      summary: "a first repository, from units as they lie somewhere or run here",
      load: () => import("./init.ts"),
    },
    evaluate: { summary: "the desired state of this host", load: () => import("./evaluate.ts") },
    check: { summary: "every host of the repository, all diagnostics", load: () => import("./check.ts") },
    show: {
      summary: "a unit as it counts after all drop-ins, each line with its file",
      load: () => import("./show.ts"),
    },
    diff: {
      summary: "what changes on hosts between two revisions, for pull requests",
      load: () => import("./diff.ts"),
    },
    plan: { summary: "what apply would change on this host, and why", load: () => import("./plan.ts") },
    apply: { summary: "make it so", load: () => import("./apply.ts") },
    status: {
      summary: "what is managed here, what was edited, which units are down",
      load: () => import("./status.ts"),
    },
    watch: { summary: "apply again and again", load: () => import("./watch.ts") },
    history: { summary: "what was applied, and when", load: () => import("./history.ts") },
    pause: { summary: "for maintenance: nothing is started or undone until it ends", load: () => import("./pause.ts") },
    resume: { summary: "end a pause", load: () => import("./resume.ts") },
    rollback: {
      summary: "back to the state before the last commit, or to a generation",
      load: () => import("./rollback.ts"),
    },
  },
  example: "stet host plan --repo ssh://git@git.example.org/homelab.git --host kadath --diff",
});
