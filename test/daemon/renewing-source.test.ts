import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { adapters } from "#sources";
import { RenewingSource } from "../../src/daemon/systems/renewing-source.ts";
import { startWebServer } from "../kit/http.ts";
import { silentLogger } from "../kit/logger.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const rest = adapters.get("rest")!;
const read = rest.read.parse({ path: "buyers", rows: "rows", key: "id" });

/** An ERP that takes one token, and a source that begins with another one. */
async function buyersOf({ right: first, tokens }: { readonly right: string; readonly tokens: readonly string[] }) {
  let right = first;
  const erp = await startWebServer(({ headers }) =>
    headers.authorization === `Bearer ${right}` ? { body: { rows: [{ id: "1" }] } } : { status: 401 },
  );
  const settingsOf = (token: string) =>
    rest.settings.parse({ url: erp.url, timezone: "UTC", auth: { kind: "bearer", token } });
  const later = [...tokens];
  /** How many sources are open. */
  let open = 0;
  const source = await RenewingSource.open({
    settings: settingsOf(later.shift()!),
    open: async (settings) => {
      const opened = await rest.open(settings, { name: "shop", clock: systemClock, logger: silentLogger });
      open++;
      const end = opened[Symbol.asyncDispose].bind(opened);
      const close = async () => {
        open--;
        await end();
      };
      return Object.assign(opened, { [Symbol.asyncDispose]: close });
    },
    renew: () => {
      const token = later.shift();
      return token === undefined ? undefined : settingsOf(token);
    },
  });
  return {
    stream: source.stream("buyers", read),
    openCount: () => open,
    expect: (token: string) => void (right = token),
    tried: () => erp.asked.map(({ headers }) => headers.authorization),
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await erp[Symbol.asyncDispose]();
    },
  };
}

async function keysOf({ stream }: Awaited<ReturnType<typeof buyersOf>>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { changes } of stream.changes(null, never)) keys.push(...changes.map(({ key }) => key));
  return keys;
}

describe("a source whose credentials may be replaced", () => {
  it("repeats a refused read once, with the new ones", async () => {
    await using buyers = await buyersOf({ right: "new", tokens: ["old", "new"] });
    expect(await keysOf(buyers)).toEqual(["1"]);
    expect(buyers.tried()).toEqual(["Bearer old", "Bearer new"]);
    expect(await keysOf(buyers)).toEqual(["1"]);
    expect(buyers.tried().slice(2)).toEqual(["Bearer new"]);
  });

  it("tries credentials that did not change no more often than before", async () => {
    await using buyers = await buyersOf({ right: "another", tokens: ["old"] });
    expect(await thrownBy(keysOf(buyers))).toMatchObject({ code: "E_SOURCE_LOGIN" });
    expect(buyers.tried()).toEqual(["Bearer old"]);
  });

  it("keeps open what is read, and nothing of what was replaced", async () => {
    await using buyers = await buyersOf({ right: "right", tokens: ["wrong 1", "wrong 2", "wrong 3", "right"] });
    expect(await thrownBy(keysOf(buyers))).toMatchObject({ code: "E_SOURCE_LOGIN" });
    expect(buyers.openCount()).toBe(1);
    expect(await keysOf(buyers)).toEqual(["1"]);
    expect(buyers.openCount()).toBe(1);
  });

  it("lets a read end that began before another one found that the credentials were replaced", async () => {
    await using buyers = await buyersOf({ right: "old", tokens: ["old", "new"] });
    const early = buyers.stream.changes(null, never)[Symbol.asyncIterator]();
    expect((await early.next()).value).toMatchObject({ changes: [{ key: "1" }] });
    buyers.expect("new");
    expect(await keysOf(buyers)).toEqual(["1"]);
    expect(buyers.openCount()).toBe(2);
    await early.return?.();
    expect(buyers.openCount()).toBe(1);
  });

  it("tries new ones that are wrong too once, and looks for others before the next read", async () => {
    await using buyers = await buyersOf({ right: "third", tokens: ["old", "wrong", "third"] });
    expect(await thrownBy(keysOf(buyers))).toMatchObject({ code: "E_SOURCE_LOGIN" });
    expect(await keysOf(buyers)).toEqual(["1"]);
    expect(buyers.tried()).toEqual(["Bearer old", "Bearer wrong", "Bearer third"]);
  });
});
