/** How long a stop waits for aborted deliveries to end, in milliseconds. */
export const abortGraceMs = 500;
/** How long a stop waits for aborted polls, in milliseconds: one may be storing what it read. */
export const pollGraceMs = 3_000;
