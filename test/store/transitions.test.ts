import { describe, expect, it } from "vitest";
import { RECORD_STATES } from "#model";
import { allows, next, statesMovedTo, type RecordEvent } from "../../src/store/transitions.ts";

const steps: RecordEvent[] = ["release", "apply", "retry", "wait", "park", "uncertain", "skip", "remove"];

describe("the states of a record", () => {
  it("are eight, and each has moves", () => {
    expect(RECORD_STATES).toHaveLength(8);
    for (const state of RECORD_STATES) expect(allows(state, "change")).toBe(true);
  });

  it("never lose a real change: it makes the record due, or marks the claimed one", () => {
    const ends = RECORD_STATES.map((state) => [state, next(state, "change")]);
    expect(ends).toEqual(RECORD_STATES.map((state) => [state, state === "claimed" ? "claimed" : "due"]));
  });

  it.each(steps)("allow %s only to the worker that holds the record", (step) => {
    expect(RECORD_STATES.filter((state) => allows(state, step))).toEqual(["claimed"]);
  });

  it("lead to a claim only from where a record waits for its turn", () => {
    expect(statesMovedTo("claimed", "claim")).toEqual(["due", "waiting"]);
    expect(RECORD_STATES.filter((state) => allows(state, "claim"))).toEqual(["due", "claimed", "waiting"]);
  });

  it("take a person's answer only before a record is settled", () => {
    for (const answer of ["answerCreate", "answerSkip"] as const)
      expect(RECORD_STATES.filter((state) => allows(state, answer))).toEqual(["due", "waiting", "parked", "uncertain"]);
  });

  it("let a person bind what was left out, too", () => {
    const states = RECORD_STATES.filter((state) => allows(state, "answerBind"));
    expect(states).toEqual(["due", "waiting", "parked", "uncertain", "skipped"]);
  });

  it("let a person end a binding whenever no worker holds the record and no create is open", () => {
    expect(RECORD_STATES.filter((state) => !allows(state, "answerUnbind"))).toEqual(["claimed", "uncertain"]);
  });

  it("let a record be forgotten only while nothing of it is on its way", () => {
    expect(RECORD_STATES.filter((state) => !allows(state, "forget"))).toEqual(["due", "claimed", "uncertain"]);
    expect(statesMovedTo("skipped", "forget")).toEqual(["waiting", "applied", "parked"]);
  });

  it("refuse what the table does not show, by name", () => {
    expect(() => next("applied", "park")).toThrow("a record that is applied cannot park");
    expect(() => next("deleted", "apply")).toThrow(expect.objectContaining({ family: "park", code: "E_STORE_STATE" }));
  });
});
