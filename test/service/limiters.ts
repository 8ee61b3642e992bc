/** Lets a request pass that arrives now (undefined), or refuses it with a pause in milliseconds, or `silent` about the pause. */
export type Limiter = (now: number) => "passed" | "silent" | number;

const SECOND_MS = 1_000;

/** So many requests in any second. */
export function slidingWindow(limit: number, retryAfterMs: number | "silent" = SECOND_MS): Limiter {
  const passed: number[] = [];
  return (now) => {
    while (passed[0] !== undefined && passed[0] <= now - SECOND_MS) passed.shift();
    if (passed.length >= limit) return retryAfterMs;
    passed.push(now);
    return "passed";
  };
}

/** So many requests in each window by the service's clock; what is left of the window is the pause. */
export function fixedWindow(limit: number, windowMs: number): Limiter {
  let window = -1;
  let passed = 0;
  return (now) => {
    const current = Math.floor(now / windowMs);
    if (current !== window) passed = 0;
    window = current;
    if (passed >= limit) return Math.ceil(((current + 1) * windowMs - now) / SECOND_MS) * SECOND_MS;
    passed += 1;
    return "passed";
  };
}

/** So many requests a second on average, and a burst of so many. */
export function tokenBucket(perSecond: number, burst: number): Limiter {
  let tokens = burst;
  let filledAt = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / SECOND_MS);
    filledAt = now;
    if (tokens < 1) return SECOND_MS;
    tokens -= 1;
    return "passed";
  };
}
