import { messageOf, type Clock, type Finding, type ResourceName } from "#model";
import { ServiceRefusal } from "../transport/failures.ts";
import type { ReadDeps } from "../reads/records.ts";
import type { Exchange } from "../transport/transport.ts";

type Query = Record<string, string>;

/** What the probes of one tenant share. */
export interface ProbeDeps extends ReadDeps {
  readonly clock: Clock;
  /** The vendor's brand, as far as the tenant has shown it. */
  readonly brandSeen?: string | undefined;
}

/** The requests that a probe may send: lists by resource or by path, and single records. All of them are reads. */
export interface ProbeRequests {
  (resource: ResourceName, query: Query): Promise<Exchange>;
  path(path: string, resource: ResourceName, query: Query): Promise<Exchange>;
}

/** Compares a finding with the setting; where they differ, the finding names the line to set. Undefined: reads cannot tell. */
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

/** Adds one pair to a setting that consists of pairs. */
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

/** Resolves to undefined where the tenant refuses the request. */
export async function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((thrown: unknown) => {
    if (thrown instanceof ServiceRefusal) return undefined;
    throw thrown;
  });
}
