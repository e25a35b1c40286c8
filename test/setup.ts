import fc from "fast-check";

// The same cases on every machine, so that a run can be repeated; `FC_SEED=… npm test` looks at others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261115) });
