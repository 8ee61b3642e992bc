import { canonicalJson, sleep } from "#model";
import { runAndKill } from "../journeys/killed-program.ts";
import { setStage, writeRequests, type Running, type Stage } from "../journeys/stage.ts";
import { CHAPTERS, DEEDS, type Chapter, type Deed } from "./chapters.ts";
import { Comparison } from "./comparison.ts";
import type { Erp } from "./erp.ts";
import { FastClock } from "../kit/clock.ts";
import { buildProgram } from "../setup/built-program.ts";

export interface Verdict {
  readonly product: string;
  readonly records: number;
  readonly seconds: number;
  /** What was wrong in each chapter; an empty list is what it should be. */
  readonly complaints: Readonly<Partial<Record<Chapter, readonly string[]>>>;
  readonly skipped: NonNullable<Erp["skipped"]>;
  readonly refusedLogins: number;
}

const PATIENCE_MS = 150_000;
/** After some refusals svcsync tries the password again within half an hour by its clock; at its speed that is less. */
const PASSWORD_PATIENCE_MS = 180_000;
const LOOK_MS = 300;
/** Polls of every stream that must pass to call something "seen" or "left alone". */
const POLLS = 3;
/** Ten minutes of svcsync's clock in half a minute of the machine's. */
export const WRONG_PASSWORD_SPEED = 20;
const WRONG_FOR_MS = 600_000;
/** An ERP that locks users out does it at five within five minutes. */
const REFUSED_AT_MOST = 10;

/** Everything short, so that a minute holds what else takes a day. */
const ENVIRONMENT = {
  POLL_INTERVAL_SECONDS: "0.5",
  SWEEP_INTERVAL_SECONDS: "2",
  // A trial hides and deletes a good part of its few records on purpose.
  MASS_GUARD_PERCENT: "100",
  DELETE_GUARD_PERCENT: "100",
};

/** Writes after which a first load is killed, one after another, and how slow each is meanwhile. */
const KILLED_AFTER = [5, 20];
const SLOW_MS = 50;

function stageOf({ syncFile, environment }: Erp): Promise<Stage> {
  return setStage({ syncFile, environment: { ...ENVIRONMENT, ...environment }, service: { ledgerSize: 100_000 } });
}

const NO_RIGHT = "the trial has no way to take the right to one kind of record from svcsync's user here";

/** Plays the whole story on one ERP. */
export async function play(erp: Erp, say: (sentence: string) => void): Promise<Verdict> {
  const startedAt = performance.now();
  const trial = await Trial.set(erp);
  await using _stage = trial.stage;
  const complaints: Partial<Record<Chapter, readonly string[]>> = {};
  const skipped = { ...(erp.right === undefined && { "less rights": NO_RIGHT }), ...erp.skipped };
  const untried = DEEDS.filter((deed) => erp.deeds?.[deed] === undefined);
  for (const chapter of CHAPTERS) {
    if (chapter in skipped || untried.some((deed) => deed === chapter)) continue;
    const found = await trial.chapter(chapter).catch((thrown: unknown) => [String(thrown)]);
    complaints[chapter] = found;
    say(
      `${erp.product}: ${chapter}${found.length === 0 ? "" : `: ${found.length} complaints\n  ${found.slice(0, 3).join("\n  ")}`}`,
    );
  }
  const refusedLogins = trial.refusedLogins;
  await trial.stop();
  const seconds = (performance.now() - startedAt) / 1000;
  return { product: erp.product, records: trial.comparison.count, seconds, complaints, skipped, refusedLogins };
}

class Trial {
  readonly stage: Stage;
  readonly comparison: Comparison;
  refusedLogins = 0;
  readonly #erp: Erp;
  readonly #clock = new FastClock();
  #running: Running | undefined;
  /** What earlier chapters complained about and the later ones need not repeat. */
  readonly #told = new Set<string>();

  private constructor(erp: Erp, stage: Stage) {
    this.#erp = erp;
    this.stage = stage;
    this.comparison = new Comparison(erp, stage.sandbox);
  }

  static async set(erp: Erp): Promise<Trial> {
    return new Trial(erp, await stageOf(erp));
  }

  /** Plays one chapter and returns what was wrong. */
  chapter(name: Chapter): Promise<string[]> {
    const chapters: Record<Chapter, () => Promise<string[]>> = {
      "first load": () => this.#firstLoad(),
      live: () => this.#live(),
      "hidden, shown": () => this.#hiddenAndShown(),
      "late commit": () => this.#lateCommit(),
      "hard delete": () => this.#hardDelete(),
      "wrong password": () => this.#wrongPassword(),
      restart: () => this.#restart(),
      "killed load": () => this.#killedLoad(),
      "less rights": () => this.#lessRights(),
      moved: () => this.#deed("moved"),
      merged: () => this.#deed("merged"),
      bulk: () => this.#deed("bulk"),
    };
    return chapters[name]();
  }

  async #firstLoad(): Promise<string[]> {
    await this.#erp.seed();
    await this.#start();
    return this.#settled();
  }

  async #live(): Promise<string[]> {
    await this.#erp.change();
    return this.#settled();
  }

  async #deed(deed: Deed): Promise<string[]> {
    await this.#erp.deeds![deed]!();
    return this.#settled();
  }

  async #hiddenAndShown(): Promise<string[]> {
    const complaints: string[] = [];
    for (const { name, hide, show } of this.#erp.disguises)
      for (const [deed, act] of [
        ["hidden", hide],
        ["shown again", show],
      ] as const) {
        await act();
        complaints.push(...(await this.#settled()).map((complaint) => `${deed} by ${name}: ${complaint}`));
      }
    return complaints;
  }

  async #lateCommit(): Promise<string[]> {
    const commit = await this.#erp.writeLate();
    await this.#polls();
    const early = (await this.comparison.complaints()).filter((complaint) => !this.#told.has(complaint));
    await commit();
    return [...early.map((complaint) => `before the commit: ${complaint}`), ...(await this.#settled())];
  }

  async #hardDelete(): Promise<string[]> {
    await this.#erp.remove();
    return this.#settled();
  }

  async #wrongPassword(): Promise<string[]> {
    const { password } = this.#erp;
    const complaints: string[] = [];
    const before = await password.refused();
    const until = this.#clock.now() + WRONG_FOR_MS;
    this.#clock.runAt(WRONG_PASSWORD_SPEED);
    await password.change();
    await this.#erp.change();
    while (this.#clock.now() < until) await sleep(LOOK_MS);
    this.refusedLogins = (await password.refused()) - before;
    if (this.refusedLogins === 0) complaints.push("the ERP refused no login: the password was never tried");
    if (this.refusedLogins > REFUSED_AT_MOST) complaints.push(`the ERP refused ${this.refusedLogins} logins`);
    complaints.push(...(await this.#loginErrors()));
    await password.restore();
    if (!(await password.opens())) complaints.push("the user is locked out: the right password is refused");
    complaints.push(...(await this.#settled(PASSWORD_PATIENCE_MS)));
    this.#clock.runAt(1);
    return complaints;
  }

  /** What the streams say that may be the cause. */
  async #streamErrors(): Promise<string[]> {
    if (this.#running === undefined) return [];
    const { store, daemon } = this.#running;
    const streams = [...daemon.parts.sources.streams.keys()];
    const errors = await Promise.all(streams.map(async (name) => ({ name, error: (await store.stream(name)).error })));
    return errors.flatMap(({ name, error }) => (error ? [`stream ${name} says ${error.code}: ${error.message}`] : []));
  }

  /** While the password is wrong, the streams must say so: the first cause, not what it led to. */
  async #loginErrors(): Promise<string[]> {
    const complaints: string[] = [];
    const { store, daemon } = this.#running!;
    for (const stream of daemon.parts.sources.streams.keys()) {
      const { error } = await store.stream(stream);
      if (error?.code !== "E_SOURCE_LOGIN")
        complaints.push(`stream ${stream} says ${error?.code ?? "that all is well"}`);
    }
    return complaints;
  }

  async #restart(): Promise<string[]> {
    await this.stop();
    await this.#erp.change();
    await this.#start();
    const complaints = await this.#settled();
    await this.stop();
    const writes = writeRequests(this.stage.sandbox);
    await this.#start();
    await this.#polls();
    const more = writeRequests(this.stage.sandbox) - writes;
    return more === 0 ? complaints : [...complaints, `${more} writes although nothing had changed`];
  }

  /** A first load of its own, into an empty service, that ends with kill -9 in the middle and is begun again. */
  async #killedLoad(): Promise<string[]> {
    await buildProgram();
    await using stage = await stageOf(this.#erp);
    const posts = () => stage.sandbox.ledger.count({ method: "POST" });
    const fault = { kind: "latency", ms: SLOW_MS, method: "POST" } as const;
    stage.sandbox.faults.add(fault);
    const complaints: string[] = [];
    for (const enough of KILLED_AFTER) {
      const ended = await runAndKill(stage, () => posts() >= enough);
      if (ended !== "SIGKILL") complaints.push(`svcsync ended before it was killed at ${enough} writes`);
    }
    stage.sandbox.faults.clear();
    await using _running = await stage.start();
    complaints.push(...(await this.#settled(PATIENCE_MS, new Comparison(this.#erp, stage.sandbox))));
    return complaints;
  }

  /** Without the right to read what a stream reads, the stream says so, and nothing of it is taken for deleted. */
  async #lessRights(): Promise<string[]> {
    const { right } = this.#erp;
    if (right === undefined) return ["the ERP has no right to take"];
    await this.#start();
    const complaints = await this.#settled();
    const held = () => canonicalJson(this.stage.sandbox.records(right.resource));
    const before = held();
    await right.take();
    const endAt = performance.now() + PATIENCE_MS;
    const code = async () => (await this.#running!.store.stream(right.stream)).error?.code;
    while ((await code()) !== "E_SOURCE_FORBIDDEN" && performance.now() < endAt) await sleep(LOOK_MS);
    const said = await code();
    if (said !== "E_SOURCE_FORBIDDEN") complaints.push(`stream ${right.stream} says ${said ?? "that all is well"}`);
    await this.#polls(right.stream);
    if (held() !== before) complaints.push(`${right.resource}: changed although the user could not read it`);
    await right.give();
    await this.#erp.change();
    complaints.push(...(await this.#settled(PASSWORD_PATIENCE_MS)));
    return complaints;
  }

  async #start(): Promise<void> {
    await this.stop();
    this.#running = await this.stage.start({ clock: this.#clock, elapsed: () => this.#clock.elapsed() });
  }

  async stop(): Promise<void> {
    await this.#running?.[Symbol.asyncDispose]();
    this.#running = undefined;
  }

  /** Resolves with nothing once ERP and service agree, or with what still differs when patience is at its end. */
  async #settled(patienceMs = PATIENCE_MS, comparison = this.comparison): Promise<string[]> {
    const endAt = performance.now() + patienceMs;
    for (;;) {
      const complaints = (await comparison.complaints()).filter((complaint) => !this.#told.has(complaint));
      if (complaints.length === 0) return [];
      if (performance.now() > endAt) {
        for (const complaint of complaints) this.#told.add(complaint);
        return [...complaints, ...(await this.#streamErrors())];
      }
      await sleep(LOOK_MS);
    }
  }

  /** Resolves when every stream was polled a few times more; `except` is one that cannot be. */
  async #polls(except?: string): Promise<void> {
    const { log, daemon } = this.#running!;
    const counts = () => {
      const polled = new Map<unknown, number>();
      for (const { stream } of log.lines("stream polled")) polled.set(stream, (polled.get(stream) ?? 0) + 1);
      return polled;
    };
    const before = counts();
    const streams = [...daemon.parts.sources.streams.keys()].filter((name) => name !== except);
    const endAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const now = counts();
      const least = Math.min(...streams.map((name) => (now.get(name) ?? 0) - (before.get(name) ?? 0)));
      if (least >= POLLS) return;
      if (performance.now() > endAt) throw new Error("the streams are not polled");
      await sleep(LOOK_MS);
    }
  }
}
