import { z } from "zod";
import { sleep } from "#model";
import { ask } from "../../store/postgres-place.ts";
import type { Replica } from "./replica.ts";
import type { Site } from "./site.ts";

/** The key of the rows that tell when a change arrives. */
const PROBE = "PROBE";
const LOOK_MS = 20;
const PATIENCE_MS = 180_000;
/** So that the next fault meets replicas that do their work. */
const REST_MS = 1_500;

const UNSETTLED = `
  SELECT r.key FROM svcsync.records r LEFT JOIN svcsync.written w ON w.record = r.id
  WHERE r.key LIKE '${PROBE}%' AND (r.state <> 'applied' OR coalesce(w.doubts, '{}') <> '{}')`;

const LEADER = `
  SELECT substring(name FROM 'process (\\d+)')::integer AS pid FROM svcsync.leases WHERE role = 'daemon' AND expires_at > clock_timestamp()`;
const leaders = z.array(z.object({ pid: z.number() }));

/**
 * Milliseconds from the moment in which the leader was killed, or told to stop, until a change of that moment had reached the service in every
 * stream: until another one has taken over, polled and delivered.
 */
export interface TakeOvers {
  readonly crash: number[];
  readonly "clean stop": number[];
}

/** Ends the leader, again and again, while nothing else goes wrong. */
export async function measureTakeOvers(site: Site, replicas: readonly Replica[], times: number): Promise<TakeOvers> {
  const measured: TakeOvers = { crash: [], "clean stop": [] };
  plantProbe(site);
  for (let at = 0; at < times * 2; at++) {
    const kind = at % 2 === 0 ? "crash" : "clean stop";
    await arrival(site, `before ${at}`, performance.now());
    await settled(site);
    const replica = await leaderOf(site, replicas);
    const from = performance.now();
    const ending = replica.end(kind === "crash" ? "kill" : "stop", 0);
    measured[kind].push(await arrival(site, `probe ${at}`, from));
    await (
      await ending
    ).back;
    await replica.up(PATIENCE_MS);
    await sleep(REST_MS);
  }
  return measured;
}

async function leaderOf({ postgres }: Site, replicas: readonly Replica[]): Promise<Replica> {
  for (;;) {
    const [leader] = leaders.parse(await ask(postgres.url, LEADER));
    const found = replicas.find(({ pid }) => pid === leader?.pid);
    if (found) return found;
    await sleep(LOOK_MS);
  }
}

/** An update that a crash left in doubt is sent once more after its settle time. That is not the wait for another replica. */
async function settled({ postgres }: Site): Promise<void> {
  while ((await ask(postgres.url, UNSETTLED)).length > 0) await sleep(LOOK_MS);
}

/** A row of each stream that nothing keeps from its way. */
function plantProbe({ erp }: Site): void {
  erp.insertCustomer({ customer_no: PROBE });
  erp.insertContact({ customer_no: PROBE, contact_no: 1 });
  erp.insertTicket({ ticket_no: PROBE, customer_no: PROBE });
  erp.insertOrder({ order_no: PROBE, customer_no: PROBE });
}

/** Changes a row of each stream and waits until the service has it; milliseconds since `from`. */
async function arrival({ erp, sandbox }: Site, word: string, from: number): Promise<number> {
  erp.change("customers", [PROBE], { warning: word });
  erp.change("contacts", [PROBE, 1], { phone: word });
  erp.change("tickets", [PROBE], { subject: word });
  erp.change("service_orders", [PROBE], { reference: word });
  const arrived = (resource: string) =>
    sandbox.records(resource).some((record) => JSON.stringify(record).includes(word));
  while (!["customer", "customerContact", "ticket", "svcDocument"].every(arrived)) {
    if (performance.now() - from > PATIENCE_MS) throw new Error(`${word} never reached the service`);
    await sleep(LOOK_MS);
  }
  return performance.now() - from;
}
