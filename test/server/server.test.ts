import { request, type Server } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { html, newApp, nodeServer, rawHtml } from "#server";
import { listen } from "../setup/listen.ts";

const item = (text: string) => html`<li title="${text}">${text}</li>`;

/** Sends a body of so many bytes; resolves to the status and the text of the answer. */
function post(address: string, length: number, headers = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: "POST", headers }, (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
    });
    sent.on("error", reject);
    sent.end("x".repeat(length));
  });
}

describe("a template", () => {
  it("escapes texts and leaves HTML alone, however deep they are nested", () => {
    const made = html`${["<b>", `"'&`].map(item)}${undefined}${[[item("x")]]}${7}`;

    expect(String(made)).toBe(
      `<li title="&lt;b&gt;">&lt;b&gt;</li><li title="&quot;&#39;&amp;">&quot;&#39;&amp;</li><li title="x">x</li>7`,
    );
    expect(String(html`${rawHtml("<i>")}`)).toBe("<i>");
  });

  it("spells out what a reader cannot see", () => {
    expect(String(html`${"a\u202eb"}`)).toBe("a\\u202eb");
  });
});

describe("an application", () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    const app = newApp({ defaultSrc: ["'none'"] });
    app.get("/things/:key", (c) => c.json({ key: c.req.param("key"), query: c.req.query("key") }));
    app.post("/things/:key", async (c) => c.text(String((await c.req.text()).length)));
    server = nodeServer(app);
    url = `http://127.0.0.1:${await listen(server)}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it("gives back every key as it was encoded into a path and a query", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        fc.pre(!/^\.{0,2}$/.test(text));
        const key = encodeURIComponent(text);
        const found: unknown = await (await fetch(`${url}/things/${key}?key=${key}`)).json();
        expect(found).toEqual({ key: text, query: text });
      }),
      { numRuns: 200 },
    );
  });

  it("sends safe headers and says which methods a path takes", async () => {
    const { status, headers } = await fetch(`${url}/things/1`, { method: "DELETE" });

    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    expect(headers.get("content-security-policy")).toBe("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("strict-transport-security")).toBe(null);
  });

  it("refuses a body above 64 KiB or of unknown length", async () => {
    const address = `${url}/things/1`;

    expect(await post(address, 65_536)).toBe("200 65536");
    expect(await post(address, 65_537)).toBe("413 the body is too large\n");
    expect(await post(address, 3, { "transfer-encoding": "chunked" })).toBe(
      "411 send the body with its content-length\n",
    );
  });
});
