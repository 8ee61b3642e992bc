import { messageOf, type Clock, type Finding, type ResourceName } from "#model";
import { ServiceRefusal } from "../transport/failures.ts";
import type { ReadDeps } from "../reads/records.ts";
import type { Exchange } from "../transport/transport.ts";

type Query = Record<string, string>;

/** What the probes of one tenant share. */
export interface ProbeDeps extends ReadDeps {
  readonly clock: Clock;
  /** The vendor's word, as far as it was seen. */
  readonly brandSeen?: string | undefined;
}

/** How a probe asks: lists by resource or by path, and single records. Reads, all of them. */
export interface Ask {
  (resource: ResourceName, query: Query): Promise<Exchange>;
  path(path: string, resource: ResourceName, query: Query): Promise<Exchange>;
}

/** What was found beside what is configured; where they differ, the line to set. Undefined: reads cannot tell. */
export function found(
  subject: string,
  configured: string,
  seen: string | undefined,
  key: string,
  unseen = "no record to see it on",
): Finding {
  if (seen === undefined)
    return { subject, verdict: "ok", message: `configured ${configured}; not seen by reading: ${unseen}` };
  if (seen === configured) return { subject, verdict: "ok", message: `found ${seen}, as configured` };
  return { subject, verdict: "problem", message: `found ${seen}, configured ${configured}`, remedy: `${key}=${seen}` };
}

/** A setting of several pairs, with one more beside those that are configured. */
export function withPair(
  key: string,
  configured: Readonly<Record<string, string>>,
  name: string,
  value: string,
): string {
  const pairs = Object.entries({ ...configured, [name]: value }).map(([left, right]) => `${left}=${right}`);
  return `${key}=${pairs.join()}`;
}

export function notProbed(subject: string, thrown: unknown): Finding {
  return { subject, verdict: "warning", message: `could not be probed: ${messageOf(thrown)}` };
}

/** Undefined where the tenant refuses the request. */
export async function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((thrown: unknown) => {
    if (thrown instanceof ServiceRefusal) return undefined;
    throw thrown;
  });
}
