import { expect, it } from "vitest";
import type { RecordId } from "#model";
import { takeSteps, type RunGroups } from "../../src/store/postgres/connection/step-batch.ts";
import { forgetParents, wakeRecord } from "../../src/store/statements/parents.ts";
import { findHeld, type HeldRow } from "../../src/store/statements/records.ts";
import { opened, type Step } from "../../src/store/steps/step.ts";
import { held } from "./decided.ts";

interface Asked {
  readonly record: number;
  readonly uses?: readonly number[];
  readonly touches?: readonly number[];
  readonly isRefused?: boolean;
}

const idOf = (number: number): RecordId => ({ stream: "customers", key: `${number}` });
const nameOf = (number: number) => `customers\0${number}`;

/** A step that reads its record and writes two statements about it. */
function step({ record, uses = [], touches = [], isRefused = false }: Asked): Step<{ held: HeldRow }, number> {
  return {
    record: idOf(record),
    uses: uses.map(idOf),
    facts: { held: [findHeld({ record })] },
    decide({ held: [found] }) {
      if (isRefused) throw new Error("refused");
      return {
        writes: [wakeRecord({ record, now: 1 }), forgetParents({ child: record })],
        value: found?.id ?? 0,
        touches: touches.map(nameOf),
      };
    },
  };
}

/** The messages of a batch, statements by name with the records that they are about, and how each step ended. */
async function taken(...asked: readonly Asked[]) {
  const messages: string[][] = [];
  const run: RunGroups = async (groups) => {
    messages.push(
      groups.map(({ of, calls }) => [of.name, ...calls.map((call) => call["record"] ?? call["child"])].join(" ")),
    );
    return groups.map(({ calls }, part) => ({
      part,
      rows: calls.map((call, at) => ({ ...held, call: at + 1, id: call["record"] })),
    }));
  };
  const values: (number | undefined)[] = asked.map(() => undefined);
  const steps = asked.map((each, at) => opened(step(each), (value) => (values[at] = value)));
  const { last, ends } = await takeSteps(steps, run);
  const refusals = ends(await run(last)).map((end) => {
    if ("resolve" in end) end.resolve();
    return "refusal" in end;
  });
  return { messages, values, refusals };
}

it("reads the facts of all steps in one message and writes in the next, statement by statement", async () => {
  expect(await taken({ record: 1 }, { record: 2 })).toEqual({
    messages: [["find_held 1 2"], ["wake_record 1 2", "forget_parents 1 2"]],
    values: [1, 2],
    refusals: [false, false],
  });
});

it("writes nothing of a step that is refused, and lets the others be", async () => {
  expect(await taken({ record: 1 }, { record: 1, isRefused: true }, { record: 2 })).toEqual({
    messages: [["find_held 1 2"], ["wake_record 1 2", "forget_parents 1 2"]],
    values: [1, undefined, 2],
    refusals: [false, true, false],
  });
});

it.each<[string, Asked, Asked]>([
  ["changes the same record", { record: 1 }, { record: 1 }],
  ["changes what an earlier one depends on", { record: 1, uses: [2] }, { record: 2 }],
  ["depends on what an earlier one changes", { record: 1 }, { record: 2, uses: [1] }],
  ["found that it may change the record of an earlier one", { record: 1 }, { record: 2, touches: [1] }],
])("lets a step read its facts after the writes of another if it %s", async (_, first, second) => {
  const { messages, values } = await taken(first, second);
  expect(messages).toEqual([
    [["find_held", ...new Set([first.record, second.record])].join(" ")],
    [`wake_record ${first.record}`, `forget_parents ${first.record}`, `find_held ${second.record}`],
    [`wake_record ${second.record}`, `forget_parents ${second.record}`],
  ]);
  expect(values).toEqual([first.record, second.record]);
});

it("reads once what several steps read alike", async () => {
  const { messages, values } = await taken({ record: 1 }, { record: 2 }, { record: 1, isRefused: true });
  expect(messages[0]).toEqual(["find_held 1 2"]);
  expect(values).toEqual([1, 2, undefined]);
});

it("takes steps together that only depend on the same record", async () => {
  const { messages } = await taken({ record: 1, uses: [3] }, { record: 2, uses: [3] });
  expect(messages).toHaveLength(2);
});
