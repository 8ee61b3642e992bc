import { describe, expect, it } from "vitest";
import { withIsoTimes } from "#operator";

const at = Date.UTC(2026, 4, 20, 12);
const iso = "2026-05-20T12:00:00.000Z";

describe("JSON for scripts", () => {
  it("has its instants in ISO 8601", () => {
    const value = {
      at,
      dueAt: undefined,
      streams: [{ lagMs: 5, cursor: { rowsRead: 1, polledAt: at, cursor: { at } } }],
    };
    expect(withIsoTimes(value)).toEqual({
      at: iso,
      streams: [{ lagMs: 5, cursor: { rowsRead: 1, polledAt: iso, cursor: { at } } }],
    });
  });

  it("leaves what the ERP and the service say as it is", () => {
    const row = { createdAt: 5, at: 6 };
    const value = { changedAt: at, row, applied: row, history: [{ at, before: row, after: row }] };
    expect(withIsoTimes(value)).toEqual({
      changedAt: iso,
      row,
      applied: row,
      history: [{ at: iso, before: row, after: row }],
    });
  });
});
