import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { Json } from "#model";
import { reachFindings } from "../../../src/sources/wire/client/web-check.ts";
import { WebClient } from "../../../src/sources/wire/client/web-client.ts";
import { webSettings } from "../../../src/sources/wire/client/web-settings.ts";
import { z } from "zod";
import { SetClock } from "../../kit/clock.ts";
import { type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";

const schema = z.object(webSettings);
const MEGABYTE = 1024 * 1024;
let server: WebServer;
let client: WebClient;

async function ask(told: Told, settings: object = {}): Promise<Json | undefined> {
  server = await startWebServer(() => told);
  client = new WebClient(schema.parse({ url: server.url, ...settings }), { clock: new SetClock(0) });
  return client.json({ url: "rows" }, never);
}

describe("a connection to the ERP", () => {
  it.each([
    ["http://erp.example/api", "erp.example"],
    ["https://erp.example/api", undefined],
    ["http://127.0.0.1:8069", undefined],
    ["http://localhost/", undefined],
  ])("by %s is in plain text to another machine: %s", async (url, host) => {
    await using web = new WebClient(schema.parse({ url }), { clock: new SetClock(0) });
    expect(web.plainHost).toBe(host);
    const findings = await reachFindings("source erp", web, () => Promise.resolve("it answers"));
    const warned = findings.find(({ subject }) => subject === "source erp: encryption");
    expect(warned?.verdict).toBe(host === undefined ? undefined : "warning");
  });
});

describe("an answer of the ERP", () => {
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it.each([
    ["UTF-8 unless it says otherwise", "application/json", Buffer.from('["Müller"]')],
    ["UTF-8 with a byte order mark", "application/json", Buffer.from('\uFEFF["Müller"]')],
    ["the encoding of its Content-Type", "application/json; charset=ISO-8859-1", Buffer.from('["Müller"]', "latin1")],
    ["a quoted encoding", 'text/plain;format=flowed; Charset="utf-16le"', Buffer.from('["Müller"]', "utf16le")],
  ])("is read as %s", async (_what, type, body) => {
    expect(await ask({ body, headers: { "content-type": type } })).toEqual(["Müller"]);
  });

  it.each([
    ["is not UTF-8 though it should be", "application/json", Buffer.from('["Müller"]', "latin1"), "utf-8"],
    ["is cut inside a letter", "application/json", Buffer.from('["Mü"]').subarray(0, 4), "utf-8"],
    ["is in an encoding that is not known", "application/json;charset=ebcdic-7", Buffer.from("[]"), "ebcdic-7"],
  ])("is not used where it %s", async (_what, type, body, charset) => {
    const refused = { code: "E_SOURCE_ENCODING", family: "park", message: expect.stringContaining(charset) };
    await expect(ask({ body, headers: { "content-type": type } })).rejects.toMatchObject(refused);
    expect(server.asked).toHaveLength(1);
  });

  it("tells of a document's encoding by its XML declaration", async () => {
    const xml = '<?xml version="1.0" encoding="iso-8859-1"?><a>Müller</a>';
    await ask({ body: [] });
    server.instead.push({ body: Buffer.from(xml, "latin1"), headers: { "content-type": "application/xml" } });
    expect(await client.text({ url: "$metadata" }, never)).toBe(xml);
  });

  it.each([
    ["plain", (text: string) => Buffer.from(text), {}],
    ["packed into little", (text: string) => gzipSync(text), { "content-encoding": "gzip" }],
  ])("is refused above the limit, %s, and asked for once", async (_what, pack, headers) => {
    const body = pack(`["${" ".repeat(2 * MEGABYTE)}"]`);
    const answer = ask({ body, headers }, { answerLimitMb: 1 });
    await expect(answer).rejects.toMatchObject({
      code: "E_SOURCE_TOO_LARGE",
      family: "park",
      message: expect.stringMatching(/larger than 1048576 bytes; lower the stream's `size`/),
    });
    expect(server.asked).toHaveLength(1);
  });

  /** Work that grows with the square of the length would take longer than a test may. */
  it.each([
    ["tags that never end", "<a ".repeat(2_000_000)],
    ["scripts that never end", "<script>".repeat(1_000_000)],
    ["styles that end as others", "<style></stylo>".repeat(500_000)],
    ["words without an end", "word ".repeat(1_000_000)],
    ["JSON that is cut", `{"message":"${'\\"'.repeat(2_000_000)}`],
  ])("that fails with %s makes a short message at once", async (_what, body) => {
    const failed: unknown = await ask({ status: 400, body }).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: "E_SOURCE_REQUEST" });
    expect(String(failed).length).toBeLessThan(500);
  });

  it("that is a web page in place of JSON says whose, and what to correct", async () => {
    const body = "<!doctype html><html><title>Odoo | Login</title></html>";
    await expect(ask({ body })).rejects.toThrow(
      /200 with a web page \("Odoo \| Login"\): `url` leads to the web interface/,
    );
  });

  it.each([
    "<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>",
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
    "Client sent an HTTP request to an HTTPS server.",
  ])("that asks for https is told as that: %s", async (body) => {
    await expect(ask({ status: 400, body })).rejects.toThrow(/speaks https at this port: write https in `url`/);
  });

  it("that fails with a page gives the page's words alone", async () => {
    const page = "<html><STYLE>p > a {}</STYLE><script>if (a < b) run()</script><p>No such\n <b>table</b></html>";
    await expect(ask({ status: 400, body: page })).rejects.toThrow(/: No such table$/);
  });
});
