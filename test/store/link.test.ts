import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotCarriedOut, postgresFailure } from "../../src/store/postgres/connection/failures.ts";
import { Link } from "../../src/store/postgres/connection/link.ts";
import { listening, unlocked } from "../../src/store/postgres/connection/prefix.ts";
import { answerAhead, type AnswerAhead } from "../kit/answer-ahead.ts";
import { thrownBy } from "../kit/outcome.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

async function linked(): Promise<{ link: Link; way: AnswerAhead } & AsyncDisposable> {
  const way = await answerAhead(server.url);
  const place = { url: way.url, schema: "public" };
  const link = new Link(place, unlocked(place), { max: 1 });
  return {
    link,
    way,
    async [Symbol.asyncDispose]() {
      await link[Symbol.asyncDispose]();
      await way[Symbol.asyncDispose]();
    },
  };
}

describe("a connection that returns the answers to earlier messages", () => {
  it("is replaced if its first answer shows it", async () => {
    await using of = await linked();
    of.way.insertBefore("echo");
    expect(await of.link.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(of.way.connections).toHaveLength(2);
  });

  it("is not replaced for ever", async () => {
    await using of = await linked();
    of.way.insertBefore("echo", Infinity);
    const thrown = await thrownBy(of.link.send(["SELECT 1 AS one"]));
    expect(thrown).toBeInstanceOf(NotCarriedOut);
    expect(postgresFailure(thrown)).toMatchObject({ family: "retry", code: "E_STORE_UNREACHABLE" });
  });

  it("gives no rows to a later message either, and is not used again", async () => {
    await using of = await linked();
    expect(await of.link.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    of.way.insertBefore("SELECT 2");
    await expect(of.link.rows("SELECT 2 AS two")).rejects.toMatchObject({ code: "E_STORE_UNREACHABLE" });
    expect(await of.link.rows("SELECT 3 AS three")).toEqual([{ three: 3 }]);
    expect(of.way.connections).toHaveLength(2);
  });

  it("carries out nothing of a transaction whose commit was not sent, and leaves open what became of one that was", async () => {
    await using of = await linked();
    const transaction = () =>
      of.link.transaction(async (send) => {
        const [result] = await send(["SELECT 2 AS two"]);
        return { last: ["SELECT 3 AS three"], done: ([last]) => [result?.rows, last?.rows] };
      });
    expect(await transaction()).toEqual([[{ two: 2 }], [{ three: 3 }]]);
    of.way.insertBefore("SELECT 2");
    expect(await thrownBy(transaction())).toBeInstanceOf(NotCarriedOut);
    of.way.insertBefore("COMMIT");
    const thrown = await thrownBy(transaction());
    expect(thrown).not.toBeInstanceOf(NotCarriedOut);
    expect(postgresFailure(thrown)).toMatchObject({ code: "E_STORE_UNREACHABLE" });
    expect(await transaction()).toEqual([[{ two: 2 }], [{ three: 3 }]]);
  });
});

it("stops listening before it closes a session, which a pooler may hand to somebody else", async () => {
  await using way = await answerAhead(server.url);
  const place = { url: way.url, schema: "public" };
  {
    await using link = new Link(place, listening(place), { max: 1, heard: () => undefined });
    await link.rows("SELECT 1 AS one");
  }
  const sql = way.connections[0]!.filter((message) => message.startsWith("Q"));
  expect(sql.at(-1)).toContain("UNLISTEN *");
});
