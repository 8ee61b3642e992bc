import { setMaxListeners } from "node:events";

const roomy = new WeakSet<AbortSignal>();

/**
 * Lets any number of calls listen to one signal. Node warns of a leak from the eleventh listener on; here each call takes
 * its listener away with it, and a daemon's signal to stop is rightly heard by all that runs.
 */
export function allowListeners(signal: AbortSignal): void {
  if (roomy.has(signal)) return;
  setMaxListeners(0, signal);
  roomy.add(signal);
}
