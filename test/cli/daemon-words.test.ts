import { describe, expect, it } from "vitest";
import { daemonWords } from "../../src/cli/output/daemon-words.ts";
import { sampleStatus } from "../web/sample-status.ts";
import { sampleWeb } from "../web/web-server.ts";

const words = (url: string) => daemonWords({ port: Number(new URL(url).port), host: "127.0.0.1", names: [] });

describe("what status tells of a running daemon", () => {
  it("is nothing while all works", async () => {
    await using web = await sampleWeb();
    expect(await words(web.url)).toEqual([]);
  });

  it("is how the service limits svcsync", async () => {
    const service = { state: "closed", probeAt: undefined, holdMs: 61_000, perSecond: undefined } as const;
    await using web = await sampleWeb({
      status: sampleStatus({ service: { ...service, concurrency: 4, requests: 9 } }),
    });
    expect(await words(web.url)).toEqual(["the daemon says of the service: it asked svcsync to wait 61 s (429)"]);
  });
});
