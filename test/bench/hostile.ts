import { monitorEventLoopDelay } from "node:perf_hooks";
import { sleep, systemClock } from "#model";
import { z } from "zod";
import { WebClient } from "../../src/sources/wire/client/web-client.ts";
import { webSettings } from "../../src/sources/wire/client/web-settings.ts";
import { type Told, startWebServer } from "../kit/http.ts";

/** What an ERP, or something in its place, may answer to a poll. */
export interface Hostile {
  readonly what: string;
  readonly bytes: number;
  /** Processor time from the request to its end, all repetitions included. */
  readonly processorMs: number;
  /** The longest time for which nothing else of the process could run; what other processes took of it is left out. */
  readonly stallMs: number;
}

const KILOBYTE = 1_000;
const MICROS_PER_MS = 1_000;
const NANOS_PER_MS = 1_000_000;
const LEVELS = 50_000;
/** Enough for a timer that is late to be seen. */
const SETTLE_MS = 20;
const LIMIT_MB = 64;

/** Each body through the real client, from a server on this machine. */
export async function measureHostile(): Promise<Hostile[]> {
  const bodies = [...cutBodies(), ...otherBodies()];
  let told: Told = { body: [] };
  await using server = await startWebServer(() => told);
  const settings = z.object(webSettings).parse({ url: server.url, answerLimitMb: LIMIT_MB });
  await using client = new WebClient(settings, { clock: systemClock });
  const ask = () => client.json({ url: "rows" }, new AbortController().signal).catch((thrown: unknown) => thrown);
  await ask();
  const results: Hostile[] = [];
  for (const [what, body, status] of bodies) {
    told = { body, status, headers: { "content-type": status === 200 ? "application/json" : "text/html" } };
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const before = process.cpuUsage();
    await ask();
    const used = process.cpuUsage(before);
    await sleep(SETTLE_MS);
    delay.disable();
    const processorMs = (used.user + used.system) / MICROS_PER_MS;
    const stallMs = Math.min(delay.max / NANOS_PER_MS, processorMs);
    results.push({ what, bytes: body.length, processorMs, stallMs });
  }
  return results;
}

type Body = readonly [what: string, body: Buffer, status: number];

/** Cut inside a long text of escapes, and inside a long number: what careless patterns search again and again. */
function cutBodies(): Body[] {
  return [210, 420, 4_000].flatMap((kilobytes): Body[] => {
    const size = kilobytes * KILOBYTE;
    return [
      ["JSON cut in a text", Buffer.from(`{"rows":[{"id":1,"name":"${'\\"'.repeat(size / 2)}`), 200],
      ["JSON cut in a number", Buffer.from(`{"rows":[{"id":${"1".repeat(size)}`), 200],
    ];
  });
}

function otherBodies(): Body[] {
  const rows = Array.from({ length: 10_000 }, (_, id) => JSON.stringify(row(id)).replace(/"(\d{18})"/, "$1"));
  return [
    ["JSON nested 50,000 levels deep", Buffer.from(`${'{"a":'.repeat(LEVELS)}1${"}".repeat(LEVELS)}`), 200],
    ["error page of open tags", Buffer.from("<".repeat(4_000 * KILOBYTE)), 500],
    ["error page of open scripts", Buffer.from("<script>".repeat(500 * KILOBYTE)), 500],
    ["page of 10,000 rows with ids of 18 digits", Buffer.from(`{"rows":[${rows.join(",")}]}`), 200],
  ];
}

/** A row whose id a double cannot hold; the id is taken out of its quotes later. */
function row(id: number): object {
  return {
    id: `${id}`.padStart(18, "9"),
    name: `Muster ${id} AG`,
    total: id / 7,
    remarks: "x".repeat(190),
  };
}
