import { describe, expect, it } from "vitest";
import { meaningOf } from "#operator";

describe("what a record's state means", () => {
  it("is not a delivery where a person ended its binding and has not decided yet", () => {
    const due = meaningOf({ state: "due", decision: undefined });
    expect(due).toContain("will be delivered");
    expect(meaningOf({ state: "due", decision: { kind: "unbound" } })).toMatch(
      /^A person ended its binding. Nothing is sent/,
    );
    const guarded = meaningOf({ state: "due", decision: undefined, isGuarded: true });
    expect(guarded).toContain("the mass-change guard holds it. Nothing is sent for it");
    expect(meaningOf({ state: "skipped", decision: undefined })).toContain("or a person");
  });
});
