import { startPostgres } from "../setup/postgres.ts";
import type { Sizes } from "./figures.ts";
import { pollAgain } from "./large.ts";
import { createsOf, latencyOf, rateOf } from "./rates.ts";
import type { Measured } from "./runs.ts";
import { SandboxProcess } from "./sandbox-process.ts";
import { Stage, type StageSettings } from "./stage.ts";

/** Latencies of the service, and what share of the rate with SQLite is to be reached. */
const CASES = [
  { latencyMs: 0, atLeast: 0.7 },
  { latencyMs: 50, atLeast: 0.97 },
];

/** First loads, and polls of what they left, with a store in SQLite and with one in PostgreSQL that waits for its disk. */
export async function measureStores(sizes: Sizes): Promise<Measured[]> {
  await using server = await startPostgres({ waitsForDisk: true });
  const figures: Measured[] = [];
  for (const { latencyMs, atLeast } of CASES) {
    const records = latencyMs === 0 ? sizes.load : sizes.slowLoad;
    const sqlite = await load(records, latencyMs, sizes, {});
    const postgres = await load(records, latencyMs, sizes, {
      store: { url: server.url, schema: `bench_${latencyMs}` },
    });
    const what = `first load of ${records.toLocaleString("en")}, ${latencyMs} ms latency`;
    figures.push(
      { what: `${what}, SQLite, records/s`, value: sqlite.rate },
      { what: "  PostgreSQL, records/s", value: postgres.rate },
      { what: "  ratio", value: postgres.rate / sqlite.rate, digits: 2, atLeast },
      { what: "poll of as many unchanged rows, SQLite, ms", value: sqlite.pollMs },
      { what: "  PostgreSQL, ms", value: postgres.pollMs },
    );
  }
  return figures;
}

async function load(
  records: number,
  latencyMs: number,
  sizes: Sizes,
  store: Pick<StageSettings, "store">,
): Promise<{ rate: number; pollMs: number }> {
  await using stage = await Stage.set(records);
  await using sandbox = await SandboxProcess.start(latencyOf(latencyMs));
  {
    await using daemon = await stage.start("sync", sandbox, store);
    await daemon.ended();
  }
  const rate = rateOf(await createsOf(sandbox, records));
  return { rate, pollMs: (await pollAgain(stage, sandbox, records, sizes, store)).milliseconds };
}
