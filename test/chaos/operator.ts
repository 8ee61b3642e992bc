import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { readSyncFile } from "#daemon";
import { recordLabel, sleep, systemClock } from "#model";
import { streamStatus } from "#pipeline";
import type { SampleErp, Sandbox } from "#sandbox";
import { startProgram } from "./daemon-process.ts";
import { contactKey } from "./erp-actor.ts";
import { syncFile, type Desk } from "./rig.ts";
import { keyInInfo } from "./expected.ts";

const PATIENCE_MS = 600_000;
const LOOK_MS = 1_000;
/** A hold shows once the daemon has started and looked at the service. */
const HELD_WITHIN_MS = 8_000;
/** A daemon hears of an answer within seconds; one that was killed, when it has started again. */
const HEARD_WITHIN_MS = 20_000;

const planShape = z.object({
  plans: z.array(z.object({ orphans: z.array(z.object({ resource: z.string(), serviceId: z.number() })) })),
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A person at the command line, who does what `status` and docs/errors ask for. */
export class Operator {
  /** Commands that were carried out, by name. */
  readonly commands = new Map<string, number>();
  /** Records that the ERP no longer had when its deletion could not be learnt any more: removed in the service by hand. */
  cleanedUp = 0;
  holdsAnswered = 0;
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Runs the real program. */
  async svcsync(...args: string[]): Promise<Ended> {
    const child = startProgram(this.#desk, args);
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
      child.once("close", (code, signal) => resolve({ code, signal })),
    );
    const [out, err] = await Promise.all([buffer(child.stdout!), buffer(child.stderr!)]);
    const { code, signal } = await ended;
    this.commands.set(args[0]!, (this.commands.get(args[0]!) ?? 0) + 1);
    this.#desk.note(
      `svcsync ${args.join(" ")} -> ${signal ?? code}\n${err.toString()}${code === 0 ? "" : out.toString()}`,
    );
    return { code, stdout: out.toString(), stderr: err.toString() };
  }

  /** As {@link svcsync}, again and again until it ends with one of these codes. */
  async insist(codes: readonly number[], ...args: string[]): Promise<Ended> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const ended = await this.svcsync(...args);
      if (codes.includes(ended.code ?? -1)) return ended;
      if (Date.now() > until) throw new Error(`svcsync ${args.join(" ")} never ended with ${codes.join(" or ")}`);
      await sleep(LOOK_MS);
    }
  }

  /** Says that a replica is dead, until that is believed or known; true when it was believed. */
  async fence(name: string): Promise<boolean> {
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until) {
      const { code, stderr } = await this.svcsync("fence", name, "--why", "its machine is dead");
      if (code === 0) return true;
      if (stderr.includes("E_REPLICA_UNKNOWN")) return false;
      await sleep(LOOK_MS);
    }
    throw new Error(`svcsync fence ${name} was never carried out`);
  }

  /**
   * After the store was put back: answers every hold, and has what was written compared with what the service holds. What
   * `status` shows is read here without a process for each look, of which a loaded machine starts few.
   */
  async attend(): Promise<void> {
    await this.answerHolds();
    await this.insist([0], "reconcile", "--repair");
  }

  /** At the end: what the ERP deleted while svcsync could not learn of it. */
  async tidy(): Promise<void> {
    await this.attend();
    await this.#cleanUp();
  }

  /**
   * What svcsync itself deleted in the service and forgot with its store: each is parked when it is compared, which may be long after
   * the person asked for the comparison.
   */
  async answerGone(): Promise<void> {
    await using store = await this.#desk.openStore();
    const parked = await store.records({ states: ["parked"], limit: 10_000 });
    for (const { id, error } of parked)
      if (error?.code === "E_RECORD_GONE") await this.svcsync("resolve", recordLabel(id), "--create");
  }

  /** Confirms each stream that is held, as its remedy says. */
  async answerHolds(): Promise<void> {
    const { streams } = await readSyncFile(syncFile, { ERP_URL: `sqlite:${this.#desk.erp.path}` });
    const until = Date.now() + HELD_WITHIN_MS;
    const answeredAt = new Map<string, number>();
    for (;;) {
      await using store = await this.#desk.openStore();
      const all = await streamStatus(store, streams, systemClock);
      // A mass change is looked after by others.
      const held = all.flatMap(({ name, holds }) => {
        const [hold] = holds.filter(({ kind }) => kind !== "mass");
        return hold ? [{ name, hold }] : [];
      });
      const asked = held
        .filter(({ hold, name }) => hold.remedy.includes("svcsync adopt") && !isFresh(answeredAt.get(name)))
        .map(({ name }) => name);
      if (asked.length > 0) {
        await this.insist([0], "adopt", ...asked, "--confirm");
        this.holdsAnswered += asked.length;
        for (const name of asked) answeredAt.set(name, Date.now());
      } else if (held.length === 0 && Date.now() > until) return;
      await sleep(LOOK_MS);
    }
  }

  /** A plan needs the service, which may be away: then there is none. */
  async #plans(): Promise<z.infer<typeof planShape>["plans"]> {
    for (;;) {
      const { stdout } = await this.insist([0, 1], "adopt", "--json");
      if (stdout !== "") return planShape.parse(JSON.parse(stdout)).plans;
      await sleep(LOOK_MS);
    }
  }

  /** Looks up in the ERP what `adopt` lists as only in the service, and deletes by hand what is no longer there. */
  async #cleanUp(): Promise<void> {
    const plans = await this.#plans();
    const { sandbox, erp } = this.#desk;
    const known = keysOf(erp);
    const merged = mergeParts(sandbox);
    for (const { orphans } of plans)
      for (const { resource, serviceId } of orphans) {
        const record = sandbox.record(resource, serviceId);
        // What others were merged into, or what was merged, explains the records of others.
        if (merged.has(serviceId)) continue;
        const key = resource === "customerContact" ? record && keyInInfo(record) : record?.["erpReferenceNumber"];
        if (typeof key !== "string" || known.get(resource)?.has(key) !== false) continue;
        sandbox.vanish(resource, serviceId);
        this.cleanedUp += 1;
      }
  }
}

/** Whether the daemon may not have heard of an answer yet. */
function isFresh(answeredAt: number | undefined): boolean {
  return answeredAt !== undefined && Date.now() - answeredAt < HEARD_WITHIN_MS;
}

/** Tickets that were merged, and those that others were merged into. */
function mergeParts(sandbox: Sandbox): ReadonlySet<number> {
  const pairs = sandbox
    .records("ticket")
    .flatMap(({ id, mergedToTicket: into }) => (typeof into === "number" ? [id, into] : []));
  return new Set(pairs);
}

/** The keys that the ERP has, by the resource that they are written to. */
function keysOf(erp: SampleErp): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map([
    ["customerContact", new Set(erp.all("contacts").map(contactKey))],
    ["ticket", new Set(erp.all("tickets").map((row) => row.ticket_no))],
    ["svcDocument", new Set(erp.all("service_orders").map((row) => row.order_no))],
  ]);
}
