import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { ErrorFacts } from "#model";
import { Heartbeat, proofOf, proving, type SyncProof } from "../../src/daemon/upkeep/heartbeat.ts";
import { open } from "../http/client.ts";
import { localServer } from "../kit/http.ts";
import { SetClock } from "../kit/clock.ts";
import { memoryLogger } from "../kit/logger.ts";

const { signal } = new AbortController();
const startedAt = 1_000_000;

function stream(completedAt: number | undefined, undeliveredMs?: number, error?: ErrorFacts) {
  return {
    name: "customers",
    cursor: { completedAt, error: error && { ...error, at: 1 } },
    undeliveredMs,
    holds: [],
    deletionsHeld: 0,
  };
}

/** What is proven of one stream that was polled, with this about it. */
function provenOf(more: object, undeliveredMs?: number): SyncProof {
  return proofOf(well, [{ ...stream(startedAt, undeliveredMs), ...more }], startedAt);
}

const well = { ready: true, parts: { store: "ok", queue: "ok", polls: "ok", service: "ok" } } as const;
const late = { ready: false, parts: { polls: { code: "E_POLL_OVERDUE", message: "not polled for 90 s" } } } as const;
const error: ErrorFacts = { code: "E_SOURCE_LOGIN", message: "wrong key", details: {} };

const unprovable = () => Promise.reject(new Error("the store is closed"));

describe("the proof of work", () => {
  it("wants every part well and every stream polled since the start", () => {
    expect(proofOf(well, [stream(startedAt + 1)], startedAt)).toEqual({ kind: "proven" });
    expect(proofOf(well, [stream(startedAt + 1), stream(startedAt - 1)], startedAt)).toEqual({ kind: "pending" });
    expect(proofOf(well, [stream(undefined)], startedAt)).toEqual({ kind: "pending" });
  });

  it("is there again with the first polls after the clock was set back", () => {
    const clock = new SetClock(startedAt);
    const proofNow = proving(clock);
    clock.advance(-3_600_000);
    expect(proofNow(well, [stream(startedAt - 3_600_001)])).toEqual({ kind: "pending" });
    clock.advance(60_000);
    expect(proofNow(well, [stream(clock.now())])).toEqual({ kind: "proven" });
  });

  it("fails with the reasons: a part, a poll, a change that is not delivered", () => {
    const stuck = stream(startedAt + 1, 2 * 3_600_000);
    expect(proofOf(late, [stream(1, undefined, error), stuck], startedAt)).toEqual({
      kind: "failed",
      reason: [
        "polls: not polled for 90 s (E_POLL_OVERDUE)",
        "customers: polls fail: wrong key (E_SOURCE_LOGIN)",
        "customers: a change has not been delivered for 2 h",
      ].join("\n"),
    });
    expect(proofOf(well, [stream(startedAt, 60_000)], startedAt)).toEqual({ kind: "proven" });
  });

  it("fails while something waits for a person, and is pending while a pause keeps changes back", () => {
    const hold = {
      kind: "pause",
      reason: "paused by Anna",
      remedy: "resume",
      needsPerson: false,
      polls: false,
    } as const;
    const guard = { ...hold, kind: "change", reason: "its changed mapping would update 200 of 202 records" } as const;
    expect(provenOf({ holds: [{ ...guard, needsPerson: true }] })).toEqual({
      kind: "failed",
      reason: "customers is held: its changed mapping would update 200 of 202 records",
    });
    expect(provenOf({ deletionsHeld: 60 })).toEqual({
      kind: "failed",
      reason: "customers: the deletion guard holds 60 deletions (E_DELETION_HELD)",
    });
    expect(provenOf({ holds: [guard] })).toEqual({ kind: "pending" });
    expect(provenOf({ holds: [{ ...hold, polls: true }] })).toEqual({ kind: "pending" });
    expect(provenOf({ holds: [hold] }, 2 * 3_600_000)).toEqual({ kind: "pending" });
    expect(provenOf({ holds: [hold] })).toEqual({ kind: "proven" });
  });
});

describe("the heartbeat", () => {
  it("calls the address while work is proven, nothing while it is not yet, and /fail with the reason when it is not", async () => {
    const calls: string[] = [];
    let status = 200;
    await using server = await localServer((request, response) => {
      void text(request).then((body) => {
        calls.push(`${request.method} ${request.url} ${body}`.trim());
        return response.writeHead(status).end();
      });
    });
    using http = open(server.url);
    let proof: SyncProof = { kind: "pending" };
    const logger = memoryLogger();
    const url = `${server.url}/ping/abc?create=1`;
    const heartbeat = new Heartbeat({ http, url, everyMs: 1, prove: async () => proof, logger });
    await heartbeat.beat(signal);
    expect(calls).toEqual([]);
    proof = { kind: "proven" };
    await heartbeat.beat(signal);
    proof = { kind: "failed", reason: "polls: not polled for 90 s (E_POLL_OVERDUE)" };
    await heartbeat.beat(signal);
    await heartbeat.beat(signal, { code: "E_SERVICE_LOGIN", message: "wrong password", details: {} });
    expect(calls).toEqual([
      "GET /ping/abc?create=1",
      "POST /ping/abc/fail?create=1 polls: not polled for 90 s (E_POLL_OVERDUE)",
      "POST /ping/abc/fail?create=1 wrong password (E_SERVICE_LOGIN)",
    ]);
    expect(logger.lines.map(({ message }) => message)).toEqual(["heartbeat failed"]);

    proof = { kind: "proven" };
    status = 404;
    await heartbeat.beat(signal);
    await heartbeat.beat(signal);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      "heartbeat failed",
      "heartbeat is back",
      "heartbeat was not accepted",
    ]);
  });

  it("says why where even the proof cannot be had, and survives a switch that is away", async () => {
    const logger = memoryLogger();
    using http = open("http://localhost:9");
    await new Heartbeat({ http, url: "http://localhost:9/x", everyMs: 1, prove: unprovable, logger }).beat(signal);
    expect(logger.lines.map(({ message }) => message)).toEqual(["heartbeat failed", "heartbeat was not accepted"]);
  });
});
