import { describe, expect, it } from "vitest";
import { RETURN_STATES } from "#model";
import { mayReturn, RETURN_MOVES, type ReturnEvent } from "../../src/store/return-transitions.ts";

const statesFor = (event: ReturnEvent) => RETURN_STATES.filter((state) => mayReturn(state, event));

describe("the states of a return", () => {
  it("lead into the inbox from prepared alone", () => {
    expect(statesFor("deliver")).toEqual(["prepared"]);
    expect(statesFor("doubt")).toEqual(["prepared"]);
  });

  it("are made anew only while nothing was handed over, and waits for a key", () => {
    expect(statesFor("make")).toEqual(["blocked"]);
    expect(statesFor("supersede")).toEqual(["blocked", "held", "prepared"]);
    expect(statesFor("pass")).toEqual(["blocked", "held"]);
    expect(statesFor("takeBack")).toEqual(["blocked", "held"]);
  });

  it("take an answer wherever the inbox has it, and a second one too", () => {
    for (const answer of ["accept", "refuse"] as const)
      expect(statesFor(answer)).toEqual(["delivered", "accepted", "refused", "uncertain"]);
  });

  it("never lead from the inbox back to prepared, unless a person says that it is not there", () => {
    const back = RETURN_STATES.flatMap((state) =>
      Object.entries(RETURN_MOVES[state]).flatMap(([event, to]) => (to === "prepared" ? [`${state} ${event}`] : [])),
    );
    expect(back).toEqual(["held send", "prepared fail", "uncertain send"]);
  });

  it("end with what was seen or withdrawn", () => {
    for (const state of ["seen", "withdrawn"] as const) expect(RETURN_MOVES[state]).toEqual({ forget: state });
  });

  it("allow to forget what is said when nothing of it is to be handed over, and nobody doubts that it was", () => {
    expect(statesFor("forget")).toEqual(["seen", "delivered", "accepted", "refused", "withdrawn"]);
  });
});
