import { errorFacts, recordName, sleep, type Clock, type Json, type Projection, type RecordId } from "#model";
import type { Logger } from "#telemetry";
import type { Claim, InFlight } from "../claim.ts";
import type { DeliveryStore } from "../contract/deliveries.ts";
import { inFlightOf, storedInFlight } from "../rows/in-flight.ts";
import { parseText, type JsonText } from "../rows/json-text.ts";
import type { Link } from "./connection/link.ts";
import { call, fill, isRecord } from "./sql.ts";

/** What was begun for a record and may have been sent: a create, an update or a deletion. */
interface Begun {
  readonly id: RecordId;
  readonly inFlight: InFlight | undefined;
}

/** An update or a deletion that has ended, and which step wrote that down at the latest. */
interface Ended extends Begun {
  readonly step: number;
}

/** So many that ended last are remembered: a failover may lose what was written down about them. */
const REMEMBERED = 10_000;
const AGAIN_MS = 250;

interface ConfessionDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly patienceMs: number;
  readonly keptSteps?: number | undefined;
}

const HELD = `
  SELECT r.state, w.doubts, w.record IS NOT NULL AS is_written FROM records r LEFT JOIN written w ON w.record = r.id WHERE ${isRecord("r", "@stream", "@key")}`;

interface Held {
  readonly state: string;
  readonly doubts: JsonText<Projection> | null;
  readonly is_written: boolean;
}

/**
 * The requests of this process whose end the store does not know. The daemon that took over settles them as it finds them; one that
 * leaves this process late is known to this process alone, so it confesses. So is one whose end was written down and lost again by a
 * failover: until it is put in doubt, the record would be taken for what it was before.
 */
export class BegunSends {
  readonly #begun = new Map<string, Begun>();
  readonly #ended = new Map<string, Ended>();
  readonly #steps: () => number;

  /** `steps` tells how many steps are known to be committed. */
  constructor(steps: () => number) {
    this.#steps = steps;
  }

  /** The same steps, watched. */
  watching(store: DeliveryStore): DeliveryStore {
    const begun = this.#begun;
    /** A step that tells the store how a request ended, or that it is in doubt. */
    const ending = <Rest extends unknown[], Result>(step: (claim: Claim, ...rest: Rest) => Promise<Result>) => {
      return async (claim: Claim, ...rest: Rest): Promise<Result> => {
        const result = await step(claim, ...rest);
        this.#remember(claim);
        return result;
      };
    };
    return {
      ...store,
      begin: async (claim, intent) => {
        const creates = await store.begin(claim, intent);
        begun.set(claim.token, { id: claim.id, inFlight: undefined });
        return creates;
      },
      markInFlight: async (claim, inFlight) => {
        await store.markInFlight(claim, inFlight);
        if (inFlight === undefined || inFlight.kind === "drift") begun.delete(claim.token);
        else begun.set(claim.token, { id: claim.id, inFlight });
      },
      abandon: ending((...of) => store.abandon(...of)),
      answered: ending((...of) => store.answered(...of)),
      apply: ending((...of) => store.apply(...of)),
      bind: ending((...of) => store.bind(...of)),
      park: ending((...of) => store.park(...of)),
      release: ending((...of) => store.release(...of)),
      remove: ending((...of) => store.remove(...of)),
      retry: ending((...of) => store.retry(...of)),
      skip: ending((...of) => store.skip(...of)),
      unbind: ending((...of) => store.unbind(...of)),
      uncertain: ending((...of) => store.uncertain(...of)),
      wait: ending((...of) => store.wait(...of)),
    };
  }

  #remember({ token }: Claim): void {
    const begun = this.#begun.get(token);
    this.#begun.delete(token);
    // A create that was lost makes the store a restored one.
    if (begun?.inFlight === undefined) return;
    this.#ended.set(token, { ...begun, step: this.#steps() });
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined && this.#ended.size > REMEMBERED) this.#ended.delete(oldest);
  }

  /**
   * Puts all of them in doubt, and changes nothing else; with `keptSteps` also those whose end is among the steps that a failover lost.
   * Waits for records that are being delivered.
   */
  async confess(link: Link, deps: ConfessionDeps): Promise<void> {
    const { clock, logger, patienceMs, keptSteps = Infinity } = deps;
    const startedAt = performance.now();
    const lost = [...this.#ended.values()].filter(({ step }) => step > keptSteps);
    let left: readonly Begun[] = [...this.#begun.values(), ...lost];
    if (left.length === 0) return;
    const count = left.length;
    for (;;) {
      const open: Begun[] = [];
      for (const begun of left)
        if (!(await tell(link, begun, clock.now()).catch(logged(logger, begun)))) open.push(begun);
      left = open;
      if (left.length === 0 || performance.now() - startedAt > patienceMs) break;
      await sleep(AGAIN_MS);
    }
    if (left.length === 0) logger.warn({ count }, "told the store what it may have sent late");
    else logger.error({ count, untold: left.length }, "late requests could not be told to the store");
  }
}

/** False while the store cannot be told. */
async function tell(link: Link, { id, inFlight }: Begun, now: number): Promise<boolean> {
  if (inFlight === undefined) {
    await link.send([call("note_lost_creates", [{ ...id, lostAt: now }])]);
    return true;
  }
  const [held] = await link.rows<Held>(fill(HELD, { ...id }));
  if (held?.state === "claimed") return false;
  // The record of the service that the request is about is no longer this one's.
  if (!held?.is_written) return true;
  const doubts = storedInFlight(both(held.doubts ? inFlightOf(parseText(held.doubts)) : undefined, inFlight));
  const { stream, key } = id;
  const text = call("confess", stream, key, held.doubts, JSON.stringify(doubts), now);
  const [told] = await link.send([text]);
  const [row]: { confess: boolean }[] = told?.rows ?? [];
  return row?.confess === true;
}

/** Both are in doubt. Of an array, every id may be in it because of either. */
function both(known: InFlight | undefined, { kind, fields }: InFlight): InFlight {
  const united = Object.entries(fields).map(([field, value]): [string, Json] => {
    const other = known?.fields[field];
    return [field, Array.isArray(other) && Array.isArray(value) ? [...new Set([...other, ...value])] : value];
  });
  return {
    kind: known?.kind === "deletion" ? "deletion" : kind,
    fields: { ...known?.fields, ...Object.fromEntries(united) },
  };
}

function logged(logger: Logger, { id }: Begun): (thrown: unknown) => boolean {
  return (thrown) => {
    logger.warn({ record: recordName(id), err: errorFacts(thrown) }, "late request was not told to the store yet");
    return false;
  };
}
