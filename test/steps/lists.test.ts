import { describe, expect, it } from "vitest";
import { saveMatchEntries } from "../../src/store/steps/match-index.ts";
import { endSweepStep, markKeys } from "../../src/store/steps/sweeping.ts";
import { decide } from "./decided.ts";

describe("a page of the match index", () => {
  const entries = [
    { serviceId: 1, keys: { name: "a" } },
    { serviceId: 2, keys: { name: "b", number: "2" } },
    { serviceId: 1, keys: { name: "c" } },
  ];

  it("replaces the keys of its records; of one that occurs twice, the last counts", () => {
    expect(decide(saveMatchEntries("customer", entries), {})).toMatchObject({
      writes: [
        'save_match ["customer",1]',
        'save_match ["customer",2]',
        'forget_match_keys ["customer",1]',
        'forget_match_keys ["customer",2]',
        'add_match_key ["customer",1,"name","c"]',
        'add_match_key ["customer",2,"name","b"]',
        'add_match_key ["customer",2,"number","2"]',
      ],
      changed: ["/customer", "customer 1", "customer 2"],
    });
  });

  it("of some rules leaves the keys of others", () => {
    const { writes } = decide(saveMatchEntries("customer", entries, ["name"]), {});
    expect(writes.filter((write) => write.startsWith("forget"))).toEqual([
      'forget_match_keys_of ["customer",1,["name"]]',
      'forget_match_keys_of ["customer",2,["name"]]',
    ]);
  });
});

describe("a sweep", () => {
  const open = [{ number: 4 }];

  it("marks each key once", () => {
    expect(decide(markKeys("customers", 4, ["1", "2", "1"]), { open }).writes).toEqual([
      'mark_seen_key ["customers","1"]',
      'mark_seen_key ["customers","2"]',
    ]);
  });

  it.each([
    ["another one has replaced it", [{ number: 5 }]],
    ["it was ended", []],
  ])("marks and ends nothing if %s", (_, found) => {
    for (const step of [markKeys("customers", 4, ["1"]), endSweepStep("customers", 4)])
      expect(() => decide(step, { open: found })).toThrow(expect.objectContaining({ code: "E_SWEEP_LOST" }));
  });

  it("ends", () => {
    expect(decide(endSweepStep("customers", 4), { open }).writes).toEqual(['close_sweep ["customers"]']);
  });
});
