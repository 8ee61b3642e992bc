import * as fc from "fast-check";

// Every run tries the same cases, so that a run that failed fails again; FC_SEED=$RANDOM tries others.
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 1) });
