import { writeSync } from "node:fs";
import { argv, stdout } from "node:process";
import { systemClock, type Change } from "#model";
import { openStore, type StoreLocation } from "#store";
import { silentLogger } from "../kit/logger.ts";

/**
 * A daemon that is made to be killed: stages, creates and updates records as fast as it can, and says on its output what
 * was promised, one line per promise that resolved. Ids of the service begin at the number it is given.
 */
const location: StoreLocation = JSON.parse(argv[2]!);
const firstId = Number(argv[3]);
const WORKERS = 16;

const store = await openStore(location, { as: "daemon", clock: systemClock, logger: silentLogger });

/** Says a line at once; a reader who is busy makes the pipe full, never lost. */
function say(...words: (string | number)[]): void {
  for (;;) {
    try {
      writeSync(stdout.fd, `${words.join(" ")}\n`);
      return;
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN")) throw thrown;
    }
  }
}

say("open");

let serviceId = firstId;
let version = firstId;

async function stageForever(): Promise<void> {
  for (;;) {
    version++;
    const keys = Array.from({ length: 20 }, (_, at) => `${(version * 7 + at) % 400}`);
    const changes = keys.map((key): Change => ({ kind: "upsert", key, row: { version } }));
    await store.stage("customers", { changes, cursor: version, backfill: false, complete: true });
    say("staged", version, ...keys);
  }
}

async function deliverForever(): Promise<void> {
  for (;;) {
    const due = await store.due({ limit: 200, streams: ["customers"] });
    const claim = await store.claim(due[Math.floor(Math.random() * due.length)]?.id ?? { stream: "", key: "" });
    if (claim === undefined) continue;
    const { key } = claim.id;
    const projection = { version: claim.row["version"]! };
    const applied = { projection, outcome: "updated", parents: [] } as const;
    if (claim.binding !== undefined) {
      await store.markInFlight(claim, { kind: "update", fields: projection });
      say("doubted", key, Number(projection.version));
      await store.end(claim, { kind: "apply", applied });
      say("applied", key, Number(projection.version));
      continue;
    }
    // A create that was begun before the last kill: here it is known that nothing was created.
    if (claim.intent !== undefined) {
      // Said before: from here on it may be gone, also where the kill comes before this process hears of it.
      say("abandons", key);
      await store.noteCreate(claim, "absent");
    }
    await store.begin(claim, { resource: "customer", projection });
    say("begun", key, Number(projection.version));
    const id = ++serviceId;
    await store.end(claim, { kind: "bind", binding: { resource: "customer", serviceId: id }, applied });
    say("bound", key, id, Number(projection.version));
  }
}

await Promise.all([stageForever(), ...Array.from({ length: WORKERS }, deliverForever)]);
