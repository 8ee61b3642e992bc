import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { customersStream } from "../setup/customers-stream.ts";
import { startPostgres } from "../setup/postgres.ts";
import { openWriter } from "../sources/sql/writer.ts";
import { only, setStage, until, untilState } from "./stage.ts";

const customer = { stream: "customers", key: "10001" };

/** A folder as Kubernetes mounts a secret: its files are links into a folder that is replaced at once. */
async function mountSecret(name: string, text: string) {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-secret-"));
  let version = 0;
  const replace = async (by: string) => {
    version += 1;
    await mkdir(join(folder, `..${version}`));
    await writeFile(join(folder, `..${version}`, name), by);
    await symlink(`..${version}`, join(folder, "..next"));
    await rename(join(folder, "..next"), join(folder, "..data"));
  };
  await replace(text);
  await symlink(join("..data", name), join(folder, name));
  return {
    path: join(folder, name),
    replace,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

describe("a secret that is replaced while the daemon runs", () => {
  it("is used from the next request on where it is the service's token, and appears in no log", async () => {
    const [first, second] = ["token-of-spring", "token-of-summer"];
    const service = {
      accounts: ["spring", "summer"].map((username) => ({ username, password: "p" })),
      tokens: [
        { token: first, username: "spring" },
        { token: second, username: "summer" },
      ],
    };
    await using secret = await mountSecret("token", `${first}\n`);
    const environment = { SERVICE_TOKEN: "", SERVICE_TOKEN_FILE: secret.path };
    await using stage = await setStage({ service, environment });
    stage.erp.insertCustomer({ customer_no: customer.key });
    await using running = await stage.start();
    const { store, log } = running;
    await untilState(store, "applied", customer);

    await secret.replace(`${second}\n`);
    stage.sandbox.tokens.revoke({ username: "spring", staticTokens: true });
    stage.erp.renameCustomer(customer.key, "Sommer GmbH");
    await until(
      "the change arrived",
      () => only(stage.sandbox, "customer", "customerId", customer.key)["name"] === "Sommer GmbH",
    );
    await untilState(store, "applied", customer);
    expect(log.lines("credentials of the service were read again")).toHaveLength(1);
    expect(log.text).not.toContain(second);
  });

  it("is used at the next connection where it is a database's password", async () => {
    await using postgres = await startPostgres({ hba: ["host all erp 127.0.0.1/32 scram-sha-256"] });
    await using writer = await openWriter(postgres.url);
    await writer.run(`
      create table customers (customer_no text primary key, name1 text not null, updated_at timestamptz not null);
      insert into customers values ('10001', 'Frühling GmbH', now());
      create role erp login password 'password-of-spring';
      grant select on all tables in schema public to erp`);
    await using secret = await mountSecret("password", "password-of-spring");
    const syncFile = `
sources:
  erp: { adapter: sql, url: "postgres://erp:\${ERP_PASSWORD}@127.0.0.1:${postgres.port}/postgres" }
streams:
${customersStream()}`;
    await using stage = await setStage({ syncFile, environment: { ERP_PASSWORD_FILE: secret.path } });
    await using running = await stage.start();
    const { store, log } = running;
    await untilState(store, "applied", customer);

    await secret.replace("password-of-summer");
    await writer.run(`
      alter role erp password 'password-of-summer';
      insert into customers values ('10002', 'Sommer GmbH', now());
      select pg_terminate_backend(pid) from pg_stat_activity where usename = 'erp'`);
    await untilState(store, "applied", { stream: "customers", key: "10002" });
    expect((await store.stream("customers")).error).toBeUndefined();
    expect(log.lines("credentials of a source were read again")).toMatchObject([{ source: "erp" }]);
    expect(log.text).not.toContain("password-of-summer");
  });
});
