import { DatabaseError } from "pg";
import { expect, it } from "vitest";
import { StopError } from "#model";
import { NOT_A_MEMBER, REFUSED } from "../../src/store/postgres/connection/failures.ts";
import { MessageQueue } from "../../src/store/postgres/connection/message-queue.ts";
import type { Link } from "../../src/store/postgres/connection/link.ts";
import { thrownBy } from "../kit/outcome.ts";

const noTransaction = () => Promise.reject(new Error("no step was asked for"));

it("sends the calls of one function in one message as one list, and those of a list that is refused one by one", async () => {
  const messages: (readonly string[])[] = [];
  const link: Pick<Link, "send" | "transaction"> = {
    transaction: noTransaction,
    send: async (statements) => {
      messages.push(statements);
      return statements.map((statement) => {
        const calls: { call: number; key: string }[] = JSON.parse(/'(.*)'/.exec(statement)?.[1] ?? "[]");
        const refused = calls.find(({ key }) => key === "bad");
        if (refused)
          throw Object.assign(new DatabaseError("E_CLAIM_LOST", 0, "error"), { code: REFUSED, severity: "ERROR" });
        const rows = calls.flatMap(({ call, key }) => [
          { call, key },
          { call, key: `more ${key}` },
        ]);
        return { rows, command: "", rowCount: rows.length, oid: 0, fields: [] };
      });
    },
  };
  const queue = new MessageQueue(link, { lanes: 1, patienceMs: 0 });
  const ask = (...keys: string[]) =>
    Promise.allSettled([...keys.map((key) => queue.together<{ key: string }>("take", { key })), queue.run(["a"])]);
  const both = await ask("x", "y");
  expect(
    both.map((each) => each.status === "fulfilled" && each.value.flatMap((row) => ("key" in row ? row.key : []))),
  ).toEqual([["x", "more x"], ["y", "more y"], []]);
  const one = `SELECT * FROM take('[{"call":0,"key":"x"}]')`;
  expect(messages.splice(0)).toEqual([[`SELECT * FROM take('[{"call":0,"key":"x"},{"call":1,"key":"y"}]')`, "a"]]);
  expect((await ask("x", "bad")).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(messages.slice(1)).toEqual([[one], [one.replace("x", "bad")], ["a"]]);
});

it("asks once what several want to read before it is on its way, and again what is asked for later", async () => {
  const messages: (readonly string[])[] = [];
  const link: Pick<Link, "send" | "transaction"> = {
    transaction: noTransaction,
    send: async (statements) => {
      messages.push(statements);
      return statements.map((rows) => ({ rows: [rows], command: "", rowCount: 1, oid: 0, fields: [] }));
    },
  };
  const queue = new MessageQueue(link, { lanes: 2, patienceMs: 0 });
  const ask = async (...statements: string[]) =>
    Promise.all(statements.map(async (statement) => (await queue.share(statement))[0]?.rows));
  expect(await ask("a", "b", "a", "a")).toEqual([["a"], ["b"], ["a"], ["a"]]);
  expect(await ask("a")).toEqual([["a"]]);
  expect(messages).toEqual([["a", "b"], ["a"]]);
});

it("tells a step in flight that finds its daemon's place gone why it is gone", async () => {
  const arrived = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<never>();
  const link: Pick<Link, "send" | "transaction"> = {
    transaction: noTransaction,
    send: () => {
      arrived.resolve();
      return answered.promise;
    },
  };
  const queue = new MessageQueue(link, { lanes: 1, patienceMs: 0 });
  const step = thrownBy(queue.run(["a"]));
  await arrived.promise;
  queue.refuse(new StopError("E_STORE_REWOUND", "the store has 1 of 2 steps"));
  answered.reject(Object.assign(new DatabaseError("no replica", 0, "error"), { code: NOT_A_MEMBER }));
  expect(await step).toMatchObject({ code: "E_STORE_REWOUND" });
});
