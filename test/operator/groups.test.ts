import { describe, expect, it } from "vitest";
import type { ErrorCode, RecordState } from "#model";
import { ErrorGroups, type ErrorGroup } from "#operator";

function record(key: string, code: ErrorCode, message: string, state: RecordState = "parked", details = {}) {
  return { id: { stream: "contacts", key }, state, error: { code, message, details } };
}

function groupsOf(records: Parameters<ErrorGroups["add"]>[0][]): ErrorGroup[] {
  const groups = new ErrorGroups();
  for (const each of records) groups.add(each);
  return groups.list();
}

function lacking(value: string): string {
  return `contacts.status: the value ${JSON.stringify(value)} is not in map, which knows A, I`;
}

function waitingFor(parents: string): string {
  return `waits for ${parents}, which the service does not have yet`;
}

describe("groups of records", () => {
  it("gather what differs in keys, ids and numbers alone, the largest first", () => {
    const records = [
      record("1", "E_LOOKUP_UNKNOWN", 'no tag has name "VIP"; there are: A, B'),
      ...Array.from({ length: 120 }, (_, at) =>
        record(
          `K${at}|1`,
          "E_SERVICE_REFUSED",
          `contacts/K${at}|1: update of customerContact ${at + 812} refused: too long`,
        ),
      ),
    ];

    expect(groupsOf(records)).toMatchObject([
      {
        count: 120,
        code: "E_SERVICE_REFUSED",
        message: "contacts/…: update of customerContact … refused: too long",
        examples: [{ key: "K0|1" }, { key: "K1|1" }, { key: "K2|1" }],
      },
      { count: 1, code: "E_LOOKUP_UNKNOWN" },
    ]);
  });

  it("keep the value that a map or the service lacks, since it is the cause", () => {
    const values = ["X9", "X9", "Y7"];
    const groups = groupsOf(
      values.map((value, at) => record(`${at}00`, "E_MAPPING", lacking(value), "parked", { field: "status" })),
    );

    expect(groups.map(({ count, field, message: cause }) => [count, field, cause])).toEqual([
      [2, "status", lacking("X9")],
      [1, "status", lacking("Y7")],
    ]);
  });

  it("take the parents that are waited for as one cause, however many each record names", () => {
    const groups = groupsOf([
      record("10", "E_PARENT_MISSING", waitingFor("customers/77"), "waiting"),
      record("11", "E_PARENT_MISSING", waitingFor("customers/78, customers/79"), "waiting"),
      record("12", "E_PARENT_MISSING", waitingFor("customers/A-1|2"), "waiting"),
    ]);

    expect(groups).toMatchObject([{ count: 3, message: waitingFor("customers/…") }]);
  });

  it("keep the address and the status of a request", () => {
    const asked = "PUT https://10.0.0.7:8443/restApi/v1/customer";
    const groups = groupsOf([
      record("1", "E_SERVICE_REFUSED", `${asked}/812 answered 400: name is too long`),
      record("2", "E_SERVICE_REFUSED", `${asked}/4711 answered 400: name is too long`),
      record("3", "E_SERVICE_REFUSED", `${asked}/5 answered 403: name is too long`),
    ]);
    expect(groups.map(({ count, message }) => [count, message])).toEqual([
      [2, "PUT https://10.0.0.7:8443/restApi/v1/customer/… answered 400: name is too long"],
      [1, "PUT https://10.0.0.7:8443/restApi/v1/customer/… answered 403: name is too long"],
    ]);
  });

  it("keep words of a composite key up to the first with a number", () => {
    const groups = groupsOf([record("1", "E_SERVICE_REFUSED", "a|b|C7|d and e|f and Größe-2|x")]);
    expect(groups[0]?.message).toBe("a|b|… and e|f and …");
  });

  /** With work that grows with the square of the length, each takes longer than a test may. */
  it.each([
    ["a word", "a".repeat(1_000_000)],
    ["words that are joined", "a|".repeat(500_000)],
    ["a word before a number", `${"a-".repeat(500_000)}1, ${"a".repeat(500_000)}/2`],
    ["numbers", "1, ".repeat(300_000)],
  ])("take %s of any length", (_what, text) => {
    expect(groupsOf([record("1", "E_SERVICE_REFUSED", text)])).toHaveLength(1);
  });

  it("tell streams, states and fields apart", () => {
    const groups = groupsOf([
      record("1", "E_MAPPING", "wrong", "parked", { field: "a" }),
      record("2", "E_MAPPING", "wrong", "parked", { field: "b" }),
      record("3", "E_MAPPING", "wrong", "uncertain", { field: "b" }),
      { ...record("4", "E_MAPPING", "wrong", "uncertain", { field: "b" }), id: { stream: "tickets", key: "4" } },
    ]);

    expect(groups).toHaveLength(4);
  });
});
