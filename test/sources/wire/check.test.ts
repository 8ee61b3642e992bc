import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { adapters, type OpenedSource } from "#sources";
import { freePort } from "../../setup/free-port.ts";
import { openContext } from "../reading.ts";
import { type Told, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";

const kinds = {
  odata: [{ version: "v4" }, { entity: "Customers", changed: "changedAt" }],
  odoo: [
    { database: "erp", key: "k3y" },
    { model: "res.partner", fields: ["name"] },
  ],
  rest: [{}, { path: "customers", key: "id", changed: "changedAt", range: { since: "{from}" } }],
} as const;
type Kind = keyof typeof kinds;
const names: readonly Kind[] = ["odata", "odoo", "rest"];

let opened: OpenedSource<unknown> | undefined;
afterEach(() => opened?.[Symbol.asyncDispose]());

async function findings(kind: Kind, url: string) {
  const adapter = adapters.get(kind)!;
  const [settings, read] = kinds[kind];
  opened = await adapter.open(adapter.settings.parse({ url, ...settings }), openContext(systemClock));
  const source = await opened.check(never);
  return { source, stream: await opened.stream("customers", adapter.read.parse(read)).check(never) };
}

describe("check", () => {
  it.each(names)(
    "says of a host that nobody answers at that it is unreachable, and nothing else (%s)",
    async (kind) => {
      const { source, stream } = await findings(kind, `http://127.0.0.1:${await freePort()}`);
      for (const found of [source, stream])
        expect(found).toEqual([
          expect.objectContaining({ verdict: "problem", message: expect.stringContaining("E_SOURCE_UNREACHABLE") }),
        ]);
    },
  );

  it.each(names)("says once that the credentials are refused, and what the other clock shows (%s)", async (kind) => {
    const told: Told = { status: 401, body: { message: "no" } };
    await using server = await startWebServer(() => told);
    const { source, stream } = await findings(kind, server.url);
    expect(source).toMatchObject([{ message: expect.stringContaining("E_SOURCE_LOGIN") }, { verdict: "ok" }]);
    expect(stream).toMatchObject([{ message: expect.stringContaining("E_SOURCE_LOGIN") }]);
  });

  const day = new Date(Date.now() - 3_600_000).toISOString();
  const old = Array.from({ length: 30 }, (_, id) => ({ id, changedAt: "2020-01-01T00:00:00Z" }));
  async function restFindings(recent: { id: number; changedAt: string }[]) {
    await using server = await startWebServer(({ query }) => {
      const since = query.get("since") ?? "";
      return { body: [...old, ...recent].filter(({ changedAt }) => changedAt >= since) };
    });
    return (await findings("rest", server.url)).stream.filter(({ verdict }) => verdict !== "ok");
  }

  it("notices a lone row whose stamp cannot be read, and takes the stream for sound", async () => {
    expect(await restFindings([{ id: 31, changedAt: "soon" }])).toEqual([
      {
        subject: "customers: changedAt",
        verdict: "warning",
        message: expect.stringMatching(
          /^1 row of the last 24 hours cannot be read: customers.changedAt of 31: .*holds/,
        ),
        remedy: expect.stringContaining("Correct the row in the ERP"),
      },
    ]);
  });

  it("takes many such rows for a problem of the stream", async () => {
    const rows = Array.from({ length: 21 }, (_, at) => ({ id: 100 + at, changedAt: at === 0 ? day : "soon" }));
    const [found] = await restFindings([...rows, { id: 200, changedAt: "later" }]);
    expect(found).toMatchObject({ verdict: "problem", code: "E_SOURCE_STAMP" });
  });
});
