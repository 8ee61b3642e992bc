import { describe, expect, it } from "vitest";
import { RetryError } from "#model";
import { daemonWords } from "../../src/cli/output/daemon-words.ts";
import { localServer } from "../kit/http.ts";
import { sampleStatus } from "../web/sample-status.ts";
import { sampleWeb } from "../web/web-server.ts";

const words = (url: string, token?: string) =>
  daemonWords({ port: Number(new URL(url).port), host: "127.0.0.1", names: [] }, token);
const away = () => Promise.reject(new RetryError("E_SERVICE_DOWN", "the service does not answer"));

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
    expect(await words(web.url)).toEqual(["the daemon reports that the service asked svcsync to wait 61 s (429)"]);
  });

  it("is that its queue is in-process, because a lone daemon needs no more and a reader expects Redis", async () => {
    await using web = await sampleWeb({
      status: sampleStatus({ queue: { kind: "in-process", waiting: 0, active: 0 } }),
    });
    expect(await words(web.url)).toEqual(["the daemon's queue is in-process: it runs without a Redis server"]);
  });

  it("is what a part that does not work says, and what to do", async () => {
    await using web = await sampleWeb({ ready: { needed: {}, reported: { service: away } } });
    expect(await words(web.url)).toEqual([
      "the daemon reports a problem of the service: the service does not answer (E_SERVICE_DOWN)",
      expect.stringMatching(/^ {2}-> .*svcsync probes the service/),
    ]);
  });

  it("is what /readyz tells everybody while the page requires a login", async () => {
    await using web = await sampleWeb({ access: { token: "0123456789abcdef" } });
    expect(await words(web.url)).toEqual([]);
    expect(await words(web.url, "0123456789abcdef")).toEqual([]);
  });

  it("is that a daemon answers where its health requires a login, too", async () => {
    await using web = await sampleWeb({ access: { token: "0123456789abcdef", probes: "alive" } });
    expect(await words(web.url)).toEqual([`a daemon answers at ${web.url}, but shows its health only with PAGE_TOKEN`]);
    expect(await words(web.url, "0123456789abcdef")).toEqual([]);
  });

  it.each([403, 429, 500])("is that a daemon answers where the answer is a refusal in words (%i)", async (status) => {
    await using refusing = await localServer((_, response) => response.writeHead(status).end("not now\n"));
    const url = `http://127.0.0.1:${refusing.port}`;
    expect(await words(url)).toEqual([`a daemon answers at ${url}, but shows its health only with PAGE_TOKEN`]);
  });
});
