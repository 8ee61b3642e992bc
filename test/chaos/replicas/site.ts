import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Closing } from "#daemon";
import { FaultyLink } from "../../kit/faulty-link.ts";
import { startPostgres, type TestPostgres } from "../../setup/postgres.ts";
import { deskOf, environment, openWorld, syncFile, type Desk, type Machine } from "../rig.ts";
import type { Target } from "./plan.ts";

/** What is on its way to the service for longer than this is lost: the service then never carries it out late. */
const MAX_HELD_MS = 1_500;

const SCHEMA = "svcsync";

/** A machine of one replica, with a network of its own to everything that the replicas share. */
export interface ReplicaMachine extends Machine {
  readonly name: string;
  readonly logFile: string;
  readonly links: Readonly<Record<Target, FaultyLink>>;
}

/** Several machines, one store in PostgreSQL, one Redis, one service; and a person at a machine beside them. */
export interface Site extends Desk, AsyncDisposable {
  readonly postgres: TestPostgres;
  readonly machines: readonly ReplicaMachine[];
  /** The sync files that a rolling restart changes between; the second one writes a customer's names in the other order. */
  readonly syncFiles: readonly [string, string];
}

/** The folder is kept when `keep()` says so. */
export async function openSite(seed: number, replicas: number, keep: () => boolean): Promise<Site> {
  const closing = new Closing();
  try {
    const world = await openWorld(seed, closing, keep);
    const { folder, sandbox, erp, redis } = world;
    const postgres = closing.use(await startPostgres());
    const open = async (port: number, maxHeldMs?: number) => closing.use(await FaultyLink.to(port, maxHeldMs));
    const prepare = async (name: string, ports: Readonly<Record<Target, number>>): Promise<Machine> => {
      const own = join(folder, name);
      const machine = { folder: own, envFile: join(own, "env"), clockFile: join(own, "clock"), nodeArgs: [] };
      await mkdir(own);
      await writeFile(machine.clockFile, "0");
      const values = {
        SERVICE_URL: `http://127.0.0.1:${ports.service}`,
        // Each has a link of its own to the one service.
        SERVICE_FORMER_URL: world.sandbox.url,
        STORE_URL: `postgres://svcsync@127.0.0.1:${ports.store}/postgres`,
        STORE_SCHEMA: SCHEMA,
        QUEUE_URL: `redis://127.0.0.1:${ports.queue}/0`,
        DATA_DIR: join(own, "data"),
        // A restart with another sync file is what this is about, and nobody is asked.
        CHANGE_GUARD_PERCENT: "100",
        CHANGE_GUARD_COUNT: "100000",
      };
      await writeFile(machine.envFile, environment(erp, values), { mode: 0o600 });
      return machine;
    };
    const ports = { store: postgres.port, queue: redis.port, service: Number(new URL(sandbox.url).port) };
    const machines: ReplicaMachine[] = [];
    for (let at = 1; at <= replicas; at++) {
      const name = `replica-${at}`;
      const links = {
        store: await open(ports.store),
        queue: await open(ports.queue),
        service: await open(ports.service, MAX_HELD_MS),
      };
      const linked = { store: links.store.port, queue: links.queue.port, service: links.service.port };
      machines.push({ ...(await prepare(name, linked)), name, logFile: join(folder, `${name}.log`), links });
    }
    const location = { url: postgres.url, schema: SCHEMA };
    return {
      ...world,
      ...(await prepare("operator", ports)),
      folder,
      ...deskOf(world, location),
      postgres,
      machines,
      syncFiles: [syncFile, await otherSyncFile(folder)],
      [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Gives a machine another sync file, for its next start. */
export async function useSyncFile({ envFile }: Machine, file: string): Promise<void> {
  const text = await readFile(envFile, "utf8");
  await writeFile(envFile, text.replace(/^SYNC_FILE=.*$/m, `SYNC_FILE=${file}`));
}

async function otherSyncFile(folder: string): Promise<string> {
  const text = await readFile(syncFile, "utf8");
  const other = text.replace("name1 & ' ' & name2", "name2 & ' ' & name1");
  if (other === text) throw new Error("the sync file has no name to turn round");
  const file = join(folder, "other.yaml");
  await writeFile(file, other);
  return file;
}
