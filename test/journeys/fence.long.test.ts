import { afterAll, describe, expect, it } from "vitest";
import { DEFAULT_ACCOUNT } from "#sandbox";
import { postgresServer } from "../setup/postgres.ts";
import { Replica } from "./replica.ts";
import { SlowWay } from "./slow-way.ts";
import { setStage, texts, until, type Stage } from "./stage.ts";

const postgres = postgresServer();
afterAll(() => postgres.end());

const { username, password } = DEFAULT_ACCOUNT;
const logins = {
  password: { SERVICE_TOKEN: "", SERVICE_USERNAME: username, SERVICE_PASSWORD: password },
  token: {},
} as const;

const names = ({ sandbox }: Stage) => texts(sandbox, "customer", "name");
const late = (name1: string) => ({ customer_no: "10001", name1 });

/** A daemon that is stopped while a write of it is on the way, and the next one, which has settled what it found. */
async function takenOver(login: keyof typeof logins, method: "PUT" | "POST") {
  const environment = {
    STORE_URL: await postgres.url(),
    STORE_SCHEMA: `late_${login}_${method.toLowerCase()}`,
    ...logins[login],
  };
  const stage = await setStage({ environment });
  const way = await SlowWay.to(stage.sandbox.url);
  const addresses = { SERVICE_URL: way.url, SERVICE_FORMER_URL: stage.sandbox.url };
  const first = await Replica.start(stage, "first", addresses);
  await until("the first one works", () => first.isReady());
  if (method === "PUT") {
    stage.erp.insertCustomer(late("Before"));
    await until("the record is there", () => names(stage).includes("Before"));
  }
  const held = way.hold(method);
  if (method === "PUT") stage.erp.renameCustomer("10001", "Old");
  else stage.erp.insertCustomer(late("Old"));
  await held;
  first.kill("SIGSTOP");
  const next = await stage.start({ upkeepEveryMs: 100 });
  await until("the next one wrote", () => names(stage).includes("Old"));
  stage.erp.renameCustomer("10001", "New");
  await until("the next one settled it", async () => {
    const view = await next.store.record({ stream: "customers", key: "10001" });
    return names(stage).includes("New") && view?.state === "applied" && !view.inFlight && !view.intent;
  });
  const ended = async () => {
    first.kill("SIGCONT");
    expect(await first.exitCode()).toBe(70);
    expect(first.log).toContain("E_STORE_LOST");
  };
  return {
    stage,
    next,
    way,
    ended,
    async [Symbol.asyncDispose]() {
      await first[Symbol.asyncDispose]();
      await next[Symbol.asyncDispose]();
      await way[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
    },
  };
}

describe("a write that a paused daemon sent and that arrives after the takeover", () => {
  it.each(["PUT", "POST"] as const)("is refused by the service with a password login: %s", async (method) => {
    await using story = await takenOver("password", method);
    const { stage, way, ended } = story;
    way.release();
    expect(await way.late.promise).toBe(401);
    await ended();
    expect(names(stage)).toEqual(["New"]);
  });

  it("is overwritten once the paused daemon continues, with a static token", async () => {
    await using story = await takenOver("token", "PUT");
    const { stage, next, way, ended } = story;
    way.release();
    expect(await way.late.promise).toBe(200);
    expect(names(stage)).toEqual(["Old"]);
    await ended();
    await until("the newest value is back", async () => {
      const view = await next.store.record({ stream: "customers", key: "10001" });
      return names(stage)[0] === "New" && view?.state === "applied" && !view.inFlight;
    });
  });

  it("is a second record with a static token where it is a create; both are reported until one is gone", async () => {
    await using story = await takenOver("token", "POST");
    const { stage, way, ended } = story;
    way.release();
    expect(await way.late.promise).toBe(200);
    await ended();
    expect(names(stage).toSorted()).toEqual(["New", "Old"]);
    const status = async () => (await stage.command("status")).stdout;
    await until("both are reported", async () => (await status()).includes("E_TWIN"));
    const twin = stage.sandbox.records("customer").find(({ name }) => name === "Old");
    expect(await status()).toContain(`and ${twin?.id} has the same natural key`);
    stage.sandbox.vanish("customer", twin?.id ?? 0);
    await until("it is no longer reported", async () => !(await status()).includes("E_TWIN"));
  });
});
