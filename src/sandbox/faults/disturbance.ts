import type { Random } from "../random.ts";
import { isFinal, type Fault, type FaultOf, type FinalFault } from "./fault.ts";

type Retouch = FaultOf<"futureStamp" | "oddId">;

/** The combined effect of all faults that hit one request. */
export interface Disturbance {
  readonly kinds: readonly string[];
  readonly delayBeforeMs: number;
  /** Delay between the check of the token and the work. */
  readonly delayDuringMs: number;
  readonly delayAfterMs: number;
  readonly revoke: boolean;
  readonly vanish: boolean;
  readonly changeLine: "edit" | "add" | "remove" | undefined;
  readonly listLagMs: number;
  readonly slowBodyMs: number;
  /** Changes to a part of the answer. */
  readonly retouches: readonly Retouch[];
  readonly final: FinalFault | undefined;
}

/** Adds up latencies, takes the longest lag, and the one fault that ends the request. */
export function disturbance(faults: readonly Fault[], jitter: Random): Disturbance {
  let delayBeforeMs = 0;
  let delayDuringMs = 0;
  let delayAfterMs = 0;
  let listLagMs = 0;
  let slowBodyMs = 0;
  let vanish = false;
  let revoke = false;
  const retouches: Retouch[] = [];
  let changeLine: Disturbance["changeLine"];
  let final: FinalFault | undefined;
  for (const fault of faults) {
    if (isFinal(fault)) {
      final = fault;
      continue;
    }
    switch (fault.kind) {
      case "latency": {
        const ms = fault.ms + jitter() * (fault.jitterMs ?? 0);
        if (fault.when === "after") delayAfterMs += ms;
        else if (fault.when === "during") delayDuringMs += ms;
        else delayBeforeMs += ms;
        break;
      }
      case "slowBody":
        slowBodyMs += fault.ms;
        break;
      case "revokeTokens":
        revoke = true;
        break;
      case "vanish":
        vanish = true;
        break;
      case "changeLine":
        changeLine = fault.change ?? "edit";
        break;
      case "staleList":
        listLagMs = Math.max(listLagMs, fault.lagMs);
        break;
      case "futureStamp":
      case "oddId":
        retouches.push(fault);
        break;
    }
  }
  const kinds = faults.map((fault) => fault.kind);
  const delays = { delayBeforeMs, delayDuringMs, delayAfterMs, listLagMs, slowBodyMs };
  return { kinds, ...delays, revoke, vanish, changeLine, retouches, final };
}
