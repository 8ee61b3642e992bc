import { setTimeout as pause } from "node:timers/promises";
import { Dice } from "../chaos/dice.ts";
import { familyNames, honest, type Crookedness } from "./crooked-proxy.ts";
import { HostileErp } from "./hostile-erp.ts";
import { judgeDuplicates, judgeProcess, judgeSecrets, judgeStore, readPages, type Finding } from "./judge.ts";
import { setStage, type Stage } from "./stage.ts";
import { fuzzTexts } from "./texts.ts";
import { openLog, WatchedDaemon } from "./watched-daemon.ts";
import type { WriteStream } from "node:fs";

const HOSTILE_MS = 20_000;
const HONEST_MS = 5_000;
const STOP_MS = 15_000;
/** After this a process has loaded what it needs: from here on its heap is compared. */
const SETTLED_MS = 3_000;
const TEXTS = 150;
/** Ends that a wrong answer to a login may bring about: the daemon waits for a person, on purpose. */
const FAIR_STOPS = new Set(["E_SERVICE_LOGIN"]);

export interface RoundResult {
  readonly round: number;
  readonly mood: string;
  readonly findings: readonly Finding[];
  readonly facts: Readonly<Record<string, number>>;
  readonly strikes: ReadonlyMap<string, number>;
  readonly byState: Readonly<Record<string, number>>;
  /** Kept when something was found. */
  readonly folder: string;
}

/** One round: a fresh stage, half a minute of hostile ERPs and wrong answers, a kill in the middle, and the verdict. */
export async function runRound(seed: number, round: number): Promise<RoundResult> {
  const dice = new Dice(seed).fork(`round ${round}`);
  dice.next();
  const findings: Finding[] = [];
  await using stage = await setStage(dice, () => findings.length > 0);
  const log = openLog(stage.logFile);
  const crookedness = { service: drawn(dice.fork("service mood")), erp: drawn(dice.fork("erp mood")) };
  const lives = new Lives(stage, log);
  using erp = new HostileErp({ ...stage, dice: dice.fork("rows") });
  for (let rows = 0; rows < 40; rows++) await erp.turn();
  await lives.begin();
  stage.service.crookedness = crookedness.service;
  stage.erpProxy.crookedness = crookedness.erp;
  const over = new AbortController();
  const killAt = HOSTILE_MS * (0.3 + 0.4 * dice.next());
  const acting = Promise.all([
    erp.run(over.signal),
    lives.keep(over.signal),
    pause(killAt).then(() => lives.kill()),
    fuzzTexts(stage, dice.fork("texts"), TEXTS).then((found) => findings.push(...found)),
  ]);
  await pause(HOSTILE_MS);
  stage.service.crookedness = honest;
  stage.erpProxy.crookedness = honest;
  await pause(HONEST_MS);
  over.abort();
  await acting;
  const pages = await readPages(stage.pageUrl);
  await lives.end();
  await new Promise((resolve) => log.end(resolve));

  const store = await judgeStore(stage);
  findings.push(
    ...lives.findings,
    ...judgeDuplicates(stage.sandbox),
    ...store.findings,
    ...(await judgeSecrets(stage, pages)),
  );
  const isIdle = store.records === 0 || stage.service.requests === 0;
  if (isIdle || (lives.fairStops === 0 && !pages.includes("<html")))
    findings.push({ what: "fuzzer", text: "nothing was read, sent or shown: this round proves nothing" });
  return {
    round,
    mood: `${describe(crookedness.service)} | ${describe(crookedness.erp)}`,
    findings,
    facts: {
      "requests to the service": stage.service.requests,
      "requests to web ERPs": stage.erpProxy.requests,
      "changes in ERPs": erp.rows,
      "records in the store": store.records,
      "writes kept by the service": stage.sandbox.ledger.writes().length,
      starts: lives.starts,
      "fair stops": lives.fairStops,
      "highest memory, MB": Math.round(lives.maxRss / 2 ** 20),
      "log, kB": Math.round(lives.logBytes / 1_024),
    },
    strikes: new Map(
      [...familyNames, "refusal"].map((name) => [
        name,
        (stage.service.strikes.get(name) ?? 0) + (stage.erpProxy.strikes.get(name) ?? 0),
      ]),
    ),
    byState: store.byState,
    folder: stage.folder,
  };
}

/** A few families at once, so that one that stops everything does not hide the others. */
function drawn(dice: Dice): Crookedness {
  dice.next();
  const families = Array.from({ length: dice.between(1, 4) }, () => dice.pick(familyNames));
  return { rate: dice.pick([0.02, 0.04, 0.06, 0.1, 0.1, 0.3]), families: [...new Set(families)] };
}

const describe = ({ rate, families }: Crookedness) => `${Math.round(rate * 100)} % ${families.join(", ")}`;

/** The processes of a round, one after the other, as a container's restart policy keeps them. */
class Lives {
  readonly findings: Finding[] = [];
  readonly #stage: Stage;
  readonly #log: WriteStream;
  #daemon: WatchedDaemon | undefined;
  #startedAt = 0;
  #killed = false;
  starts = 0;
  fairStops = 0;
  maxRss = 0;
  logBytes = 0;

  constructor(stage: Stage, log: WriteStream) {
    this.#stage = stage;
    this.#log = log;
  }

  async begin(): Promise<void> {
    this.starts += 1;
    this.#startedAt = performance.now();
    this.#killed = false;
    this.#daemon = new WatchedDaemon(this.#stage.envFile, this.#stage.folder, this.#log);
    await this.#daemon.watch();
  }

  /** Starts another one whenever one has ended, until the signal is aborted. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const daemon = this.#daemon!;
      await Promise.race([daemon.ended, pause(200)]);
      // It said that it cannot go on, and waits for minutes so that restarts do not lock an account.
      if (daemon.isAlive && daemon.watched.stopCode !== undefined) await daemon.kill();
      if (daemon.watched.collected.length === 0 && performance.now() - this.#startedAt > SETTLED_MS)
        await daemon.collect();
      if (daemon.isAlive) continue;
      await this.#bury(daemon);
      await this.begin();
    }
  }

  async kill(): Promise<void> {
    await this.#daemon?.collect();
    this.#killed = true;
    await this.#daemon?.kill();
  }

  async end(): Promise<void> {
    const daemon = this.#daemon!;
    await daemon.collect();
    const failure = daemon.isAlive && daemon.watched.stopCode === undefined ? await daemon.stop(STOP_MS) : "";
    if (daemon.isAlive) await daemon.kill();
    if (failure !== "") this.findings.push({ what: "stop", text: failure });
    await this.#bury(daemon, true);
  }

  async #bury(daemon: WatchedDaemon, ordered = false): Promise<void> {
    const { watched } = daemon;
    const { code, signal } = await daemon.ended;
    const { stopCode } = watched;
    if (stopCode !== undefined && FAIR_STOPS.has(stopCode)) this.fairStops += 1;
    else if (stopCode !== undefined)
      this.findings.push({ what: "crash", text: `the daemon could not go on: ${stopCode}` });
    else if (!ordered && !this.#killed)
      this.findings.push({ what: "crash", text: `the daemon ended with ${code ?? signal}` });
    this.findings.push(...judgeProcess(watched, performance.now() - this.#startedAt));
    this.maxRss = Math.max(this.maxRss, watched.maxRss);
    this.logBytes += watched.logBytes;
  }
}
