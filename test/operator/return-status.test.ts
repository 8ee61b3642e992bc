import { describe, expect, it } from "vitest";
import type { ErrorFacts } from "#model";
import { findReturn, readReturns, returnNotes, returnUrgency } from "#operator";
import type { PreparedAs } from "#store";
import { aReturn } from "../conformance/store-returns.ts";
import { Scene } from "../conformance/store-scene.ts";
import { memoryPlace } from "../store/memory-place.ts";

const HOUR = 3_600_000;
const reports = { name: "reports", kind: "reports", answers: { withinMs: 24 * HOUR } } as const;
const error = (code: ErrorFacts["code"], message: string): ErrorFacts => ({ code, message, details: {} });
const prepared: PreparedAs = { state: "prepared" };

async function scene() {
  const opened = await Scene.open(memoryPlace);
  const { returns, clock } = opened.store;
  const deliver = async (subject: string, version = 1) => {
    await returns.prepare(aReturn(subject, version), prepared);
    await returns.ended(aReturn(subject, version), { kind: "delivered" });
  };
  const read = () => readReturns(returns, [reports], clock.now());
  return Object.assign(opened, { returns, deliver, read });
}

describe("the state of a stream of returns", () => {
  it("is quiet while the ERP answers in time", async () => {
    await using opened = await scene();
    await opened.deliver("1");
    opened.clock.advance(HOUR);
    const statuses = await opened.read();
    expect(statuses).toMatchObject([
      { name: "reports", state: "following", counts: { delivered: 1 }, unansweredMs: HOUR, isOverdue: false },
    ]);
    expect([returnNotes(statuses), returnUrgency(statuses)]).toEqual([[], "none"]);
  });

  it("needs a person when the ERP has not answered within the time of the sync file", async () => {
    await using opened = await scene();
    await opened.deliver("1");
    opened.clock.advance(25 * HOUR);
    const statuses = await opened.read();
    expect(statuses[0]?.isOverdue).toBe(true);
    expect(returnNotes(statuses)[0]).toMatch(
      /^reports: the ERP has not answered the oldest return for 1 d.*E_RETURN_UNANSWERED/,
    );
    expect(returnUrgency(statuses)).toBe("person");
  });

  it("expects no answer where the sync file names no place for it", async () => {
    await using opened = await scene();
    await opened.deliver("1");
    opened.clock.advance(99 * HOUR);
    const statuses = await readReturns(opened.returns, [{ ...reports, answers: undefined }], opened.clock.now());
    expect(statuses).toMatchObject([{ unansweredMs: undefined, isOverdue: false, attention: [] }]);
  });

  it("names what the ERP refused, with its reason, until a newer version is on its way", async () => {
    await using opened = await scene();
    const { returns } = opened;
    await opened.deliver("1");
    await returns.answered(
      aReturn("1"),
      { result: "refused", document: undefined, message: "no order A-1", at: 1 },
      false,
    );
    const statuses = await opened.read();
    expect(returnNotes(statuses)).toEqual([
      'reports: the ERP refused 1 return: reports/1/1: no order A-1 (E_RETURN_REFUSED); "svcsync returns reports" lists it',
    ]);
    expect(returnUrgency(statuses)).toBe("person");
    await returns.prepare(aReturn("1", 2), prepared);
    expect(returnNotes(await opened.read())).toEqual([]);
  });

  it("asks nobody about what is retried, such as a key that will be known soon", async () => {
    await using opened = await scene();
    const { returns } = opened;
    const later = { state: "blocked", dueAt: opened.clock.now() + 1 } as const;
    await returns.prepare(aReturn("1"), { ...later, error: error("E_RETURN_WAITS", "customers/1 is not there yet") });
    const waiting = await opened.read();
    expect(waiting[0]?.troubles).toMatchObject([{ kind: "blocked", count: 1 }]);
    expect(returnUrgency(waiting)).toBe("none");
    await returns.prepare(aReturn("1"), { ...later, error: error("E_RETURN_KEY", "worker 7 has no number") });
    expect(returnUrgency(await opened.read())).toBe("person");
  });

  it("says from when reports are returned, while that is still to come", async () => {
    await using opened = await scene();
    await opened.returns.saveMark("reports", { beginAt: Date.parse("2126-12-01T00:00:00Z") });
    const ahead = await opened.read();
    expect(returnNotes(ahead)).toEqual([expect.stringMatching(/^reports: begins at 2126-12-01T00:00:00.000Z: /)]);
    expect(returnUrgency(ahead)).toBe("none");
    await opened.returns.saveMark("reports", { beginAt: opened.clock.now() });
    expect(returnNotes(await opened.read())).toEqual([]);
  });

  it("says why nothing is handed over", async () => {
    await using opened = await scene();
    const { returns } = opened;
    await returns.saveMark("reports", { beginAt: 0, held: { at: 1, count: 120, usual: 10 } });
    const held = await opened.read();
    expect([held[0]?.state, returnUrgency(held)]).toEqual(["held", "person"]);
    expect(returnNotes(held)[0]).toContain('"svcsync returns release reports"');
    await returns.saveMark("reports", { held: undefined, paused: { at: 1, by: { name: "ben", via: "cli" } } });
    const paused = await opened.read();
    expect([paused[0]?.state, returnUrgency(paused)]).toEqual(["paused", "none"]);
    expect(returnNotes(paused)[0]).toContain("paused by ben");
    const at = { at: 1 };
    await returns.saveMark("reports", {
      paused: undefined,
      error: { ...error("E_SOURCE_UNREACHABLE", "gone"), ...at },
    });
    const failing = await opened.read();
    expect([failing[0]?.state, returnUrgency(failing)]).toEqual(["failing", "time"]);
    await returns.saveMark("reports", { error: { ...error("E_RETURN_INBOX", "no table"), ...at } });
    expect(returnUrgency(await opened.read())).toBe("person");
  });

  it("names a document number that cannot be written into the service", async () => {
    await using opened = await scene();
    const { returns } = opened;
    await opened.deliver("1");
    await returns.answered(aReturn("1"), { result: "ok", document: "R-1", message: undefined, at: 1 }, true);
    expect((await opened.read())[0]?.troubles).toEqual([]);
    const failed = {
      kind: "failed",
      error: error("E_RETURN_FOLLOW", "R-2 is there"),
      dueAt: 9_999_999_999_999,
    } as const;
    await returns.ended(aReturn("1"), failed);
    const statuses = await opened.read();
    expect(statuses[0]?.troubles).toMatchObject([{ kind: "following", example: { id: "reports/1/1" } }]);
    expect(returnUrgency(statuses)).toBe("person");
  });

  it("names a stream that left the sync file with something open, and is silent about a settled one", async () => {
    await using opened = await scene();
    await opened.deliver("1");
    const gone = await readReturns(opened.returns, [], opened.clock.now());
    expect(gone).toMatchObject([
      { name: "reports", state: "unlisted", attention: [expect.stringContaining("1 return of it open")] },
    ]);
    const ok = { result: "ok", document: undefined, message: undefined, at: 1 } as const;
    await opened.returns.answered(aReturn("1"), ok, false);
    expect(await readReturns(opened.returns, [], opened.clock.now())).toEqual([]);
  });
});

describe("the name of a return", () => {
  it("is found with and without its version, and as the inbox has it", async () => {
    await using opened = await scene();
    const { returns } = opened;
    for (const subject of ["1", "a/2"])
      for (const version of [1, 2]) await returns.prepare(aReturn(subject, version), prepared);
    const found = async (text: string) => {
      const { subject, version } = await findReturn(returns, text);
      return `${subject} ${version}`;
    };
    expect(await found("reports/1")).toBe("1 2");
    expect(await found("reports/1/1")).toBe("1 1");
    expect(await found("reports/a/2")).toBe("a/2 2");
    expect(await found("reports/a/2/1")).toBe("a/2 1");
    expect(await found("prod-1/reports/1/1")).toBe("1 1");
    for (const unknown of ["reports", "reports/7", "reports/1/9", "other/1", ""])
      await expect(findReturn(returns, unknown)).rejects.toMatchObject({ code: "E_RETURN_UNKNOWN" });
  });
});
