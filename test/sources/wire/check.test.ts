import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { adapters, type OpenedSource } from "#sources";
import { freePort } from "../../setup/free-port.ts";
import { never, openContext } from "../reading.ts";
import { startWebServer, type Told } from "../web-server.ts";

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
});
