import { errorFacts, recordName, sleep, type Clock, type Json, type Projection, type RecordId } from "#model";
import type { Logger } from "#telemetry";
import type { Claim, InFlight } from "../../claim.ts";
import type { DeliveryStore } from "../../contract/deliveries.ts";
import { inFlightOf, storedInFlight } from "../../rows/in-flight.ts";
import { parseText, type JsonText } from "../../rows/json-text.ts";
import type { Link } from "../connection/link.ts";
import { call, fill, isRecord } from "../sql.ts";

/** A create, update or deletion that was begun for a record and may have been sent. */
interface Begun {
  readonly id: RecordId;
  readonly inFlight: InFlight | undefined;
}

/** An update or a deletion that has ended. `step` is the last step that may have stored its end. */
interface Ended extends Begun {
  readonly step: number;
}

/** How many ended requests are remembered, because a failover may lose the step that stored their end. */
const REMEMBERED = 10_000;
const AGAIN_MS = 250;

export interface InDoubtDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly patienceMs: number;
}

const HELD = `
  SELECT r.state, w.doubts, w.record IS NOT NULL AS is_written FROM records r LEFT JOIN written w ON w.record = r.id WHERE ${isRecord("r", "@stream", "@key")}`;

interface Held {
  readonly state: string;
  readonly doubts: JsonText<Projection> | null;
  readonly is_written: boolean;
}

/**
 * The requests of this process whose result the store does not know. The daemon that takes over settles open requests as it finds them.
 * Only this process knows of a request that it sent late, so it reports that one. It also reports requests whose end was stored and
 * then lost in a failover; otherwise the store would show the record's earlier state as certain.
 */
export class OpenRequests {
  readonly #begun = new Map<string, Begun>();
  readonly #ended = new Map<string, Ended>();
  readonly #steps: () => number;

  /** `steps` returns the number of steps known to be committed. */
  constructor(steps: () => number) {
    this.#steps = steps;
  }

  /** Wraps the store's steps to track the requests that begin and end. */
  watching(store: DeliveryStore): DeliveryStore {
    const begun = this.#begun;
    return {
      ...store,
      begin: async (claim, intent) => {
        const creates = await store.begin(claim, intent);
        begun.set(claim.token, { id: claim.id, inFlight: undefined });
        return creates;
      },
      markInFlight: async (claim, inFlight) => {
        const writes = await store.markInFlight(claim, inFlight);
        if (inFlight === undefined || inFlight.kind === "drift") begun.delete(claim.token);
        else begun.set(claim.token, { id: claim.id, inFlight });
        return writes;
      },
      noteCreate: async (claim, known) => {
        await store.noteCreate(claim, known);
        if (known !== "notFound") this.#remember(claim);
      },
      unbind: async (claim, audit) => {
        await store.unbind(claim, audit);
        this.#remember(claim);
      },
      end: async (claim, how) => {
        const woken = await store.end(claim, how);
        this.#remember(claim);
        return woken;
      },
    };
  }

  #remember({ token }: Claim): void {
    const begun = this.#begun.get(token);
    this.#begun.delete(token);
    // Nothing to remember for a create: if a failover loses one, the store counts as restored.
    if (begun?.inFlight === undefined) return;
    this.#ended.set(token, { ...begun, step: this.#steps() });
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined && this.#ended.size > REMEMBERED) this.#ended.delete(oldest);
  }

  /**
   * Puts all begun requests in doubt and changes nothing else. With `keptSteps`, also the requests whose end a failover lost. Waits for
   * records that are being delivered.
   */
  async reportInDoubt(link: Link, deps: InDoubtDeps & { readonly keptSteps: number | undefined }): Promise<void> {
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

/** False while the store cannot be told yet. */
async function tell(link: Link, { id, inFlight }: Begun, now: number): Promise<boolean> {
  if (inFlight === undefined) {
    await link.send([call("note_lost_creates", [{ ...id, lostAt: now }])]);
    return true;
  }
  const [held] = await link.rows<Held>(fill(HELD, { ...id }));
  if (held?.state === "claimed") return false;
  // Nothing to do: the record no longer belongs to the service's record that the request changed.
  if (!held?.is_written) return true;
  const doubts = storedInFlight(both(held.doubts ? inFlightOf(parseText(held.doubts)) : undefined, inFlight));
  const { stream, key } = id;
  const text = call("confess", stream, key, held.doubts, JSON.stringify(doubts), now);
  const [told] = await link.send([text]);
  const [row]: { confess: boolean }[] = told?.rows ?? [];
  return row?.confess === true;
}

/** Combines both doubts. For an array, it lists the ids that either of them lists. */
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
