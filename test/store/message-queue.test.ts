import { expect, it } from "vitest";
import { MessageQueue } from "../../src/store/postgres/connection/message-queue.ts";
import type { Link } from "../../src/store/postgres/connection/link.ts";

it("asks once what several want to read before it is on its way, and again what is asked for later", async () => {
  const messages: (readonly string[])[] = [];
  const link: Pick<Link, "send"> = {
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
