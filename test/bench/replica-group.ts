import { appendFile } from "node:fs/promises";
import { Closing } from "#daemon";
import { systemClock } from "#model";
import { DEFAULT_ACCOUNT, type Fault } from "#sandbox";
import { loadSettings, storeLocation } from "#settings";
import { openStore, type Store } from "#store";
import { Replica } from "../journeys/replica.ts";
import { until } from "../journeys/stage.ts";
import { silentLogger } from "../kit/logger.ts";
import { startRedis } from "../setup/redis.ts";
import { processorMsOf, withChildren } from "./process-facts.ts";
import { CREATES } from "./rates.ts";
import { SandboxProcess } from "./sandbox-process.ts";
import { Stage } from "./stage.ts";

const POLL_SECONDS = 1;
/** Requests that the service bears at once, for all replicas together. */
const CEILING = 64;
const PATIENCE_MS = 240_000;

/** Replicas over one store in PostgreSQL, one Redis and one service; the first one leads. The ERP begins with one customer. */
export class ReplicaGroup implements AsyncDisposable {
  readonly stage: Stage;
  readonly sandbox: SandboxProcess;
  readonly all: Replica[] = [];
  readonly #envFile: string;
  readonly #closing: Closing;
  #customers = 1;
  #opened: Promise<Store> | undefined;

  private constructor(stage: Stage, sandbox: SandboxProcess, envFile: string, closing: Closing) {
    this.stage = stage;
    this.sandbox = sandbox;
    this.#envFile = envFile;
    this.#closing = closing;
  }

  /** Opened when it is first asked for: the first replica makes it. */
  get #store(): Promise<Store> {
    return (this.#opened ??= openBeside(this.#envFile, this.#closing));
  }

  /** Resolves when the first customer is there and each replica has its share of the requests. */
  static async start(
    count: number,
    faults: readonly Fault[],
    store: { readonly url: string; readonly schema: string },
  ): Promise<ReplicaGroup> {
    const closing = new Closing();
    try {
      const stage = closing.use(await Stage.set(1));
      const sandbox = closing.use(await SandboxProcess.start(faults));
      const redis = closing.use(await startRedis());
      const envFile = await stage.configure(sandbox.url, { store, pollSeconds: POLL_SECONDS });
      await appendFile(envFile, environment(redis.url));
      const group = new ReplicaGroup(stage, sandbox, envFile, closing);
      for (let at = 0; at < count; at++) group.all.push(await group.join(`replica-${at + 1}`));
      await group.untilShared(count);
      await group.untilApplied();
      return group;
    } catch (thrown) {
      await closing[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  /** Resolves when the new replica is ready. */
  async join(name: string): Promise<Replica> {
    const replica = this.#closing.use(await Replica.start({ folder: this.stage.folder, envFile: this.#envFile }, name));
    await until(`${name} is ready`, () => replica.isReady());
    return replica;
  }

  /** Resolves when so many replicas share all requests that the service bears. */
  async untilShared(count: number): Promise<void> {
    const { cluster } = await this.#store;
    await until("all replicas share", async () => {
      const shares = (await cluster.members()).map(({ share }) => share ?? CEILING);
      return shares.length === count && shares.every(Boolean) && shares.reduce((sum, share) => sum + share) === CEILING;
    });
  }

  /** Adds customers to the ERP and resolves when the store knows that all are at the service. */
  async load(count: number): Promise<void> {
    const first = this.#customers;
    this.#customers += count;
    for (let at = first; at < this.#customers; at++) this.stage.erp.insertCustomer({ customer_no: `new-${at}` });
    await this.sandbox.reached(this.#customers, CREATES, PATIENCE_MS);
    await this.untilApplied();
  }

  async untilApplied(): Promise<void> {
    const store = await this.#store;
    await until("nothing is left to do", async () => {
      const counts = await store.counts();
      return counts.get("customers")?.applied === this.#customers;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.all) replica.kill("SIGTERM");
    for (const replica of this.all) await replica.exitCode();
    await this.#closing[Symbol.asyncDispose]();
  }
}

/** Processor time of a replica and of the processes that it started. */
export async function processorMs({ pid }: Replica): Promise<number> {
  return (await withChildren(pid, processorMsOf)) ?? Number.NaN;
}

/** A password login, as replicas need it; a changed mapping asks nobody. */
function environment(queueUrl: string): string {
  const values = {
    SERVICE_TOKEN: "",
    SERVICE_USERNAME: DEFAULT_ACCOUNT.username,
    SERVICE_PASSWORD: DEFAULT_ACCOUNT.password,
    SERVICE_CONCURRENCY: CEILING,
    QUEUE_URL: queueUrl,
    MASS_GUARD_PERCENT: 100,
    CHANGE_GUARD_PERCENT: 100,
    CHANGE_GUARD_COUNT: 1_000_000,
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

async function openBeside(envFile: string, closing: Closing): Promise<Store> {
  const { settings, secrets } = loadSettings({ envFile, environment: {} });
  const location = storeLocation(settings, secrets);
  return closing.use(await openStore(location, { as: "operator", clock: systemClock, logger: silentLogger }));
}
