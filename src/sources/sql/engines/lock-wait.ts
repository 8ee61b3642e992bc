/** How long an inbox waits for a lock of the ERP, in milliseconds: a job that holds a table costs an attempt, not a stuck lane. */
export const lockWaitMs = 5_000;
