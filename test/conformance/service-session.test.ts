import { describe, expect, it } from "vitest";
import { isJsonObject, WaitError } from "#model";
import { open, passwordLogin, secrets, standIn, type Reply, type Seen } from "../service/stand-in.ts";
import { openTenant } from "./service-tenant.ts";
import { never } from "../kit/outcome.ts";

const WORKERS = 64;
const CREATES = 1600;
const TOKEN_REQUESTS = 50;

/** Sixty-four workers that create until all is created; one that is told to wait comes back, as a delivery does. */
async function createAll(create: (at: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  let waits = 0;
  const work = async () => {
    while (next < CREATES) {
      const at = next++;
      for (let done = false; !done;) {
        try {
          await create(at);
          done = true;
        } catch (thrown) {
          if (!(thrown instanceof WaitError)) throw thrown;
          waits++;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return waits;
}

describe("64 workers and a token that dies every 50 requests", () => {
  it("log in once per death, and lose nothing", async () => {
    const created: string[] = [];
    let token = "";
    let left = 0;
    let deaths = 0;
    let logins = 0;
    const answer = ({ path, body, authorization }: Seen): Reply => {
      if (path.endsWith("/login")) {
        token = `t${++logins}`;
        left = TOKEN_REQUESTS;
        return { json: { access_token: token, expire_date: new Date(Date.now() + 3_600_000).toISOString() } };
      }
      if (left === 0 || authorization !== `Bearer ${token}`) return { status: 401 };
      if (--left === 0) deaths++;
      if (isJsonObject(body)) created.push(JSON.stringify(body["customerId"]));
      return { json: { id: created.length, ...(isJsonObject(body) ? body : {}) } };
    };
    await using server = await standIn(answer);
    await using client = open(server.url, { login: passwordLogin, concurrency: WORKERS }, { secrets });
    const waits = await createAll((at) => client.service.create("customer", { customerId: `K-${at}` }, never));
    expect(created.toSorted()).toEqual(Array.from({ length: CREATES }, (_, at) => `"K-${at}"`).toSorted());
    expect(deaths).toBe(CREATES / TOKEN_REQUESTS);
    expect(logins).toBe(deaths);
    expect(waits).toBeLessThan(CREATES / 100);
  });

  it("create every record of the sandbox once though its tokens are revoked again and again", async () => {
    await using tenant = await openTenant({}, {}, { login: passwordLogin, concurrency: WORKERS });
    tenant.sandbox.faults.add({ kind: "revokeTokens", resource: "customer", every: TOKEN_REQUESTS });
    await createAll((at) => tenant.service.create("customer", tenant.customer(at), never));
    const ids = tenant.sandbox.records("customer").map((record) => record["customerId"]);
    expect(ids).toHaveLength(CREATES);
    expect(new Set(ids).size).toBe(CREATES);
    const revoked = tenant.sandbox.faults.list()[0]?.hits ?? 0;
    expect(revoked).toBeGreaterThanOrEqual(CREATES / TOKEN_REQUESTS);
    expect(tenant.requests("login", "POST")).toBeLessThanOrEqual(revoked + 1);
  });
});
