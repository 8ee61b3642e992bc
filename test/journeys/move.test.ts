import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { postgresServer } from "../setup/postgres.ts";
import { only, setStage, texts, until, untilState, writeRequests } from "./stage.ts";

const postgres = postgresServer();
afterAll(() => postgres.end());

describe("a store that is moved", () => {
  it("carries on in PostgreSQL and back in SQLite: nothing is read or created again", async () => {
    const url = new URL(await postgres.url());
    url.password = "t0p-secret";
    const rows = { customers: 30, contacts: 40, tickets: 20, orders: 20 };
    await using stage = await setStage({ rows, environment: { STORE_SCHEMA: "moved_there" } });
    const { erp, sandbox } = stage;
    expect((await stage.command("sync")).code).toBe(0);
    const written = writeRequests(sandbox);
    const created = texts(sandbox, "customer", "customerId");

    /** One poll and sweep of all streams sends nothing; then a change sends one update. */
    const carriesOn = async (name: string) => {
      const before = writeRequests(sandbox);
      const synced = JSON.parse((await stage.command("sync", "--json")).stdout);
      // A poll begins at the stamp of the last row.
      for (const { name: stream, read } of synced.streams) expect(`${stream} ${read}`).toMatch(/ [01]$/);
      expect(writeRequests(sandbox)).toBe(before);
      const [key = ""] = created;
      erp.renameCustomer(key, name);
      await using running = await stage.start();
      await untilState(running.store, "applied", { stream: "customers", key });
      await until("the change arrived", () =>
        JSON.stringify(only(sandbox, "customer", "customerId", key)).includes(name),
      );
      expect(writeRequests(sandbox)).toBe(before + 1);
      expect(texts(sandbox, "customer", "customerId")).toEqual(created);
    };

    {
      await using _running = await stage.start();
      const refused = await stage.command("move", "--to", url.href);
      expect(refused).toMatchObject({ code: 70 });
      expect(refused.stderr).toContain("E_STORE_BUSY");
    }
    const there = await stage.command("move", "--to", url.href, "--as", "anna", "--why", "a second machine");
    expect(there).toMatchObject({ code: 0 });
    expect(there.stdout).toMatch(/^records +(\d+) +([0-9a-f]{32}) +\1 +\2$/m);
    const status = await stage.command("status");
    expect(status.code).toBe(70);
    expect(status.stderr).toContain(`was moved to postgres://127.0.0.1:${url.port}/postgres, schema moved_there`);
    expect((await stage.command("run")).stderr).toContain("E_STORE_MOVED");
    expect(writeRequests(sandbox)).toBe(written);

    await stage.set({ STORE_URL: url.href });
    await carriesOn("Nordwind");
    expect((await stage.command("history", "--acts")).stdout).toContain("a second machine");

    const refused = await stage.command("move", "--to", `sqlite:${stage.dataDir}`);
    expect(refused.stderr).toContain("holds a store that was moved to");
    const back = join(stage.folder, "back");
    expect(await stage.command("move", "--to", `sqlite:${back}`, "--json")).toMatchObject({ code: 0 });
    expect((await stage.command("status")).stderr).toContain(`was moved to sqlite:${back}`);
    await stage.set({ STORE_URL: "", DATA_DIR: back });
    await carriesOn("Südwind");
    expect([there, status, refused].map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain("t0p-secret");
  });

  it.each(["sqlite:", "mysql://db/x", "data", "postgres://"])("is not moved to %s", async (address) => {
    await using stage = await setStage();
    const { code, stderr } = await stage.command("move", "--to", address);
    expect(code).toBe(64);
    expect(stderr).toContain("expected postgres://HOST/DATABASE or sqlite:FOLDER");
  });
});
