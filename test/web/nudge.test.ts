import { describe, expect, it } from "vitest";
import { sampleWeb } from "./web-server.ts";

const token = "a token of the ERP 1234";

async function nudged(nudges = true) {
  const polled: string[] = [];
  const access = { token, streams: ["customers", "tickets"], nudge: (stream: string) => void polled.push(stream) };
  const web = await sampleWeb(nudges ? { nudges: access } : {});
  const post = (path: string, given?: string) =>
    fetch(new URL(path, web.url), {
      method: "POST",
      ...(given === undefined ? {} : { headers: { authorization: `Bearer ${given}` } }),
    });
  return { polled, post, [Symbol.asyncDispose]: () => web[Symbol.asyncDispose]() };
}

describe("POST /nudge/STREAM", () => {
  it("polls the stream for one who has the token", async () => {
    await using web = await nudged();
    const answer = await web.post("/nudge/customers", token);
    expect([answer.status, await answer.json()]).toEqual([202, { nudged: "customers" }]);
    expect(web.polled).toEqual(["customers"]);
  });

  it("is refused with another token, or none", async () => {
    await using web = await nudged();
    for (const given of [undefined, "", "another", `${token}x`]) {
      const answer = await web.post("/nudge/customers", given);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
    expect((await web.post("/nudge/unknown", "another")).status).toBe(401);
    expect(web.polled).toEqual([]);
  });

  it("names the streams where it does not know the one that was asked for", async () => {
    await using web = await nudged();
    const answer = await web.post("/nudge/customer", token);
    expect([answer.status, await answer.json()]).toEqual([404, { error: "no such stream: customers, tickets" }]);
    expect(web.polled).toEqual([]);
  });

  it("is not there without NUDGE_TOKEN", async () => {
    await using web = await nudged(false);
    const answer = await web.post("/nudge/customers", token);
    expect([answer.status, await answer.json()]).toEqual([404, { error: expect.stringContaining("set NUDGE_TOKEN") }]);
  });
});
