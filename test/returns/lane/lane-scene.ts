import { createHash } from "node:crypto";
import { canonicalJson, ParkError, RetryError, type JsonObject, type ReturnContent } from "#model";
import type { Consequence, Destination, LaneStream, Listed, ReturnMapper, ReturnReader, WholeRecord } from "#returns";
import { ReturnLane } from "#returns";
import type { OpenedSource } from "#sources";
import type { Store, StoredReturn } from "#store";
import type { Logger } from "#telemetry";
import { SetClock } from "../../kit/clock.ts";
import { silentLogger } from "../../kit/logger.ts";
import { never } from "../../kit/outcome.ts";
import { sqlitePlace } from "../../store/sqlite-place.ts";
import type { StorePlace } from "../../conformance/store-scene.ts";
import { destinationIn, reports } from "../destinations/sql-inbox.ts";

/** A report as this scene's service has it. */
export interface Work {
  readonly approved: boolean;
  readonly finalAt: number;
  readonly modifiedAt: number;
  readonly hours: number;
  /** Why it cannot be made. */
  readonly fault?: Error;
}

/** A service in memory: what is read of it is scripted, everything behind that is real. */
export class ScriptedService implements ReturnReader {
  readonly work = new Map<string, Work>();
  /** Subjects that changed since the last look. */
  #changed = new Set<string>();
  isDown = false;
  /** Whether changes are found by the look at everything alone. */
  isSilent = false;
  reads = 0;

  set(subject: string, work: Work | undefined): void {
    if (work === undefined) this.work.delete(subject);
    else this.work.set(subject, work);
    if (!this.isSilent) this.#changed.add(subject);
  }

  async *changed(cursor: JsonObject | null): AsyncIterable<{ listed: readonly Listed[]; cursor: JsonObject }> {
    if (this.isDown) throw new RetryError("E_SERVICE_UNREACHABLE", "the service does not answer");
    const subjects = cursor === null ? [...this.work.keys()] : [...this.#changed];
    this.#changed = new Set();
    yield {
      listed: subjects.map((subject) => this.#listed(subject)),
      cursor: { looks: Number(cursor?.["looks"] ?? 0) + 1 },
    };
  }

  async *all(beginAt: number): AsyncIterable<readonly Listed[]> {
    yield [...this.work]
      .filter(([, { approved, finalAt }]) => approved && finalAt >= beginAt)
      .map(([subject]) => this.#listed(subject));
  }

  #listed(subject: string): Listed {
    const work = this.work.get(subject);
    return work === undefined ? { subject } : { subject, head: `modified ${work.modifiedAt}, ${work.hours} hours` };
  }

  async whole(subject: string): Promise<WholeRecord | undefined> {
    this.reads++;
    const work = this.work.get(subject);
    if (work === undefined) return undefined;
    if (work.fault) throw work.fault;
    const { approved, finalAt, modifiedAt, hours } = work;
    return { subject, serviceId: Number(subject), modifiedAt, record: { approved, finalAt, hours } };
  }
}

const mapper: ReturnMapper = {
  isWanted: (record) => Promise.resolve(record["approved"] === true),
  finalAt: (record) => Number(record["finalAt"]),
  content({ record }): Promise<ReturnContent> {
    const amount = JSON.stringify(record["hours"]);
    const line = { kind: "time", id: 1, change: "added", amount, amountBefore: null, fields: {} } as const;
    return Promise.resolve({ fields: { order_no: "O-1" }, lines: [line] });
  },
  cancelled: ({ fields }) => ({ fields, lines: [] }),
  hash: (kind, { fields, lines }) =>
    createHash("sha256")
      .update(canonicalJson([kind === "cancelled", fields, lines.map(({ amount }) => amount)]))
      .digest("hex"),
};

export interface SceneOptions {
  readonly kind?: "reports" | "status";
  readonly corrections?: "hold" | "send";
  readonly guard?: number | "off";
  readonly installation?: string;
  readonly consequence?: Consequence;
  readonly logger?: Logger;
  /** Wraps the real destination. */
  readonly through?: (destination: Destination) => Destination;
}

/** A lane with a real store and a real inbox. */
export class LaneScene implements AsyncDisposable {
  readonly clock = new SetClock();
  readonly service: ScriptedService;
  readonly place: StorePlace;
  readonly #options: SceneOptions;
  readonly #source: OpenedSource<unknown>;
  #store: Store | undefined;
  #lane: ReturnLane | undefined;

  private constructor(
    source: OpenedSource<unknown>,
    place: StorePlace,
    service: ScriptedService,
    options: SceneOptions,
  ) {
    this.#source = source;
    this.place = place;
    this.service = service;
    this.#options = options;
  }

  static async open(
    source: OpenedSource<unknown>,
    options: SceneOptions = {},
    { place, service = new ScriptedService() }: { place?: StorePlace; service?: ScriptedService } = {},
  ): Promise<LaneScene> {
    const scene = new LaneScene(source, place ?? (await sqlitePlace()), service, options);
    await scene.restart();
    return scene;
  }

  /** Ends the store and begins anew, as a restarted daemon does. */
  async restart(): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
    this.#store = await this.place.open({ as: "daemon", clock: this.clock, logger: silentLogger });
    const {
      kind = "reports",
      corrections = "hold",
      guard,
      installation = "prod",
      through = (destination) => destination,
    } = this.#options;
    const of: LaneStream = {
      stream: { ...reports, kind, beginAt: undefined, corrections, everyMs: undefined, guard },
      reader: this.service,
      mapper,
      destination: through(destinationIn(this.#source, reports, { installation, clock: this.clock })),
      consequence: this.#options.consequence,
    };
    this.#lane = new ReturnLane(
      {
        store: this.store,
        clock: this.clock,
        logger: this.#options.logger ?? silentLogger,
        serviceNow: () => this.clock.now(),
        everyMs: 60_000,
      },
      [of],
    );
  }

  get store(): Store {
    return this.#store!;
  }

  /** Approved work, finished now. */
  approve(subject: string, hours = 1, more: Partial<Work> = {}): void {
    const at = this.clock.now();
    this.service.set(subject, { approved: true, finalAt: at, modifiedAt: at, hours, ...more });
  }

  async round(afterMs = 60_000): Promise<void> {
    this.clock.advance(afterMs);
    await this.#lane!.once(never);
  }

  get lane(): ReturnLane {
    return this.#lane!;
  }

  async states(): Promise<string[]> {
    const found = await this.store.returns.find({ limit: 1_000 });
    return found.map(({ subject, version, kind, state }) => `${subject}/${version} ${kind} ${state}`);
  }

  async one(subject: string, version: number): Promise<StoredReturn> {
    const found = await this.store.returns.one({ stream: "reports", subject, version });
    if (found === undefined) throw new Error(`no return ${subject}/${version}`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
  }
}

export const missingKey = new ParkError("E_RETURN_KEY", "the ERP's number of worker 5 is not known");
