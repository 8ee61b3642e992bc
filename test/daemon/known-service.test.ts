import { describe, expect, it } from "vitest";
import { expectKnownService } from "#daemon";
import type { Store } from "#store";
import { SetClock } from "../kit/clock.ts";
import { Redaction } from "#telemetry";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";

const KNOWN = "https://one.example/tenant";
const OTHER = "https://other.example/tenant";

async function open(...secrets: string[]): Promise<Store & AsyncDisposable> {
  const place = await memoryPlace();
  const { redact } = new Redaction(secrets);
  return place.open({ as: "daemon", clock: new SetClock(0), logger: silentLogger, redact });
}

/** A store that a daemon has used with the service at KNOWN. */
async function used(...secrets: string[]): Promise<Store> {
  const store = await open(...secrets);
  await start(store, KNOWN);
  await store.saveReference("priority", [{ id: 1, name: "Low" }]);
  return store;
}

/** Why the service is not the store's; undefined where it is. */
async function refusal(store: Store, url: string, formerUrl: string | undefined, join: boolean): Promise<unknown> {
  return expectKnownService(store, "data", { url, formerUrl }, join).catch((thrown: unknown) => thrown);
}
const start = (store: Store, url: string, formerUrl?: string) => refusal(store, url, formerUrl, true);
const command = (store: Store, url: string) => refusal(store, url, undefined, false);

describe("the service of a store", () => {
  it.each([KNOWN, "http://ONE.example/tenant/", "https://one.example:443/tenant"])(
    "is known by its host and path, as at %s",
    async (same) => {
      await using store = await used();
      expect([await start(store, same), await command(store, same)]).toEqual([undefined, undefined]);
    },
  );

  it("is known where a weak password is a part of its address", async () => {
    await using store = await used("tenant");
    expect([await start(store, KNOWN), await command(store, KNOWN)]).toEqual([undefined, undefined]);
  });

  it.each([OTHER, "https://one.example/another", "https://one.example", "https://one.example:8443/tenant"])(
    "is not the one at %s",
    async (url) => {
      await using store = await used();
      const message = `the store in data belongs to the service at one.example/tenant, and SERVICE_URL is ${url}; if that is another address of the same service, set SERVICE_FORMER_URL to the known one, too`;
      for (const refused of [start(store, url), command(store, url), start(store, url, "https://unknown.example")])
        expect(await refused).toMatchObject({ family: "stop", code: "E_SERVICE_OTHER", message });
    },
  );

  it("gets another address by a start that names the former one, and keeps both", async () => {
    await using store = await used();
    expect(await start(store, OTHER, KNOWN)).toBeUndefined();
    expect([await start(store, OTHER), await start(store, KNOWN)]).toEqual([undefined, undefined]);
  });

  it("may be corrected as long as nothing has come from it", async () => {
    await using store = await open();
    await start(store, "https://misspelt.example");
    expect([await command(store, KNOWN), await start(store, KNOWN)]).toEqual([undefined, undefined]);
    await store.saveReference("priority", []);
    expect(await start(store, "https://misspelt.example")).toMatchObject({ code: "E_SERVICE_OTHER" });
  });

  it("is noted by a daemon alone", async () => {
    await using store = await open();
    await store.saveReference("priority", []);
    expect([await command(store, OTHER), await start(store, KNOWN)]).toEqual([undefined, undefined]);
  });
});
