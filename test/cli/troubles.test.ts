import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "#store";
import { systemClock } from "#model";
import { openLogger } from "#telemetry";
import { freePort } from "../setup/free-port.ts";
import { openScene, runCaptured, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

/** The lines of `check` that are problems, with the remedy below each. */
async function problems(...options: string[]): Promise<{ code: number; problems: string[]; stdout: string }> {
  const { code, stdout } = await scene.run("check", ...options);
  const lines = stdout.split("\n");
  const found = lines.flatMap((line, at) => (line.startsWith("PROBLEM") ? [`${line} ${lines[at + 1]?.trim()}`] : []));
  return { code, problems: found, stdout };
}

describe("check", () => {
  afterEach(async () => {
    await scene.set({
      SERVICE_URL: scene.sandbox.url,
      SERVICE_TOKEN: "sandbox-token",
      SERVICE_USERNAME: undefined,
      SERVICE_PASSWORD: undefined,
      ERP_URL: `sqlite:${scene.erp.path}`,
    });
    await scene.edit((text) => text);
  });

  it("finds all well, and has written nothing to any system", async () => {
    const { code, problems: found, stdout } = await problems("--service");
    expect(found).toEqual([]);
    expect(stdout).toMatch(/^ok +stream customers: the service has Active, Inactive, Prospect$/m);
    expect(code).toBe(0);
    expect(scene.sandbox.ledger.writes().filter(({ action }) => action !== "seed")).toEqual([]);
  });

  it("says what it did not check, and how to", async () => {
    expect((await scene.run("check")).stdout).toMatch(/^Not checked: .*--service/m);
    expect((await scene.run("check", "--service")).stdout).not.toContain("Not checked");
  });

  it("finds nothing when it is told to stop, and says so", async () => {
    const stopped = AbortSignal.abort();
    const { code, stdout } = await runCaptured(["check", "--env-file", scene.envFile], { signal: stopped });
    expect(stdout).toContain("Not checked: the rest, because svcsync was told to stop.");
    expect(stdout).not.toMatch(/PROBLEM|E_INTERNAL|abort/i);
    expect(code).toBe(75);
  });

  it("says its findings as JSON too", async () => {
    const { stdout } = await scene.run("check", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      findings: expect.arrayContaining([{ subject: "settings", verdict: "ok", message: expect.any(String) }]),
    });
  });

  it("names a reference whose key has other parts than the parent's", async () => {
    await scene.edit((text) =>
      text.replace("{ ref: customers, key: customer_no }", "{ ref: customers, key: [customer_no, contact_no] }"),
    );
    const { code, problems: found } = await problems();
    expect(found).toEqual([
      expect.stringMatching(
        /stream contacts: customer: found a key of 2 parts for customers \(10001\|1\), expected 1 part \(such as 10001\) -> Correct the field/,
      ),
    ]);
    expect(code).toBe(1);
  });

  it("names a service that does not answer, and what to look at", async () => {
    const port = await freePort();
    await scene.set({ SERVICE_URL: `http://127.0.0.1:${port}` });
    const { code, problems: found } = await problems();
    expect(found).toEqual([expect.stringMatching(new RegExp(`service: .*127\\.0\\.0\\.1:${port}.*SERVICE_URL`))]);
    expect(code).toBe(1);
  });

  it("names an address that is another web server's", async () => {
    await using other = await plainServer();
    await scene.set({ SERVICE_URL: other.url });
    const { problems: found } = await problems();
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(other.url);
  });

  it("tells a wrong token from a wrong password, and shows neither", async () => {
    await scene.set({ SERVICE_TOKEN: "not-the-token" });
    const token = await problems();
    expect(token.problems).toEqual([expect.stringMatching(/service: .*SERVICE_TOKEN/)]);
    await scene.set({ SERVICE_TOKEN: undefined, SERVICE_USERNAME: "sync", SERVICE_PASSWORD: "not-the-password" });
    const password = await problems();
    expect(password.problems).toEqual([expect.stringMatching(/service: .*E_SERVICE_LOGIN.*SERVICE_PASSWORD/)]);
    expect(token.stdout + password.stdout).not.toMatch(/not-the-token|not-the-password/);
    expect([token.code, password.code]).toEqual([1, 1]);
  });

  it("names a table that the ERP does not have, and its stream", async () => {
    await scene.edit((text) => text.replace("table: contacts", "table: contact"));
    const { code, problems: found } = await problems();
    expect(found).toEqual([
      expect.stringMatching(
        /stream contacts.*: .*no table contact; did you mean contacts.*-> Correct the name under `read`\. Add the schema/,
      ),
    ]);
    expect(code).toBe(1);
  });

  it("names a column that the sync file misspells, with its stream and field", async () => {
    await scene.edit((text) => text.replace("shortName: short_name", "shortName: shortname"));
    const { code, problems: found } = await problems();
    expect(found).toEqual([expect.stringMatching(/customers.*shortName.*shortname/)]);
    expect(code).toBe(1);
  });

  it("names a path into a text, which would clear the field in every record", async () => {
    await scene.edit((text) => text.replace("shortName: short_name", "shortName: name1.x"));
    const { code, problems: found } = await problems();
    expect(found).toEqual([
      expect.stringMatching(/stream customers: customers\.shortName: "name1" holds text, .*member "x".*E_MAPPING/),
    ]);
    expect(code).toBe(1);
  });

  it("names a stamp column that is not there", async () => {
    await scene.edit((text) => text.replace("key: order_no, changed: updated_at", "key: order_no, changed: update_at"));
    const { problems: found } = await problems();
    expect(found).toEqual([expect.stringMatching(/stream orders.*: .*update_at/)]);
  });

  it("names a status that the service does not have, and lists those that it has", async () => {
    await scene.edit((text) => text.replace("A: Active", "A: Aktiv"));
    const { code, problems: found } = await problems();
    expect(found).toEqual([expect.stringMatching(/stream customers: .*Aktiv.*Active.*Inactive/)]);
    expect(code).toBe(1);
  });
});

describe("settings that are wrong", () => {
  afterEach(async () => {
    await scene.set({
      SERVICE_CONCURRENCY: undefined,
      SERVICE_URL: scene.sandbox.url,
      ERP_URL: `sqlite:${scene.erp.path}`,
    });
    await scene.edit((text) => text);
  });

  it.each(["run", "sync", "check", "status"])(
    "end %s with 78 and one message, before anything starts",
    async (command) => {
      await scene.set({ SERVICE_CONCURRENCY: "lots" });
      const { code, stderr, stdout } = await scene.run(command);
      expect(stderr).toContain("SERVICE_CONCURRENCY");
      expect(stderr).toContain('"lots"');
      expect(stderr).toContain("from 1 to 64");
      expect(stderr).not.toMatch(/\n +at /);
      expect(stdout).toBe("");
      expect(code).toBe(78);
    },
  );

  it("are told all at once", async () => {
    await scene.set({ SERVICE_CONCURRENCY: "lots", SERVICE_URL: "example" });
    const { stderr } = await scene.run("sync");
    expect(stderr).toContain("SERVICE_CONCURRENCY");
    expect(stderr).toContain("SERVICE_URL");
  });

  it("name line, column and the word that was meant in the sync file", async () => {
    await scene.edit((text) => text.replace("own: create }", "onw: create }"));
    const { code, stderr } = await scene.run("sync");
    expect(stderr).toMatch(/sync\.yaml:\d+:\d+ streams\.customers\.fields\.info.*"onw".*"own"/);
    expect(code).toBe(78);
  });

  it("name a field that the service's resource does not have", async () => {
    await scene.edit((text) => text.replace("resource: customerContact", "resource: customerContacts"));
    const { code, stderr } = await scene.run("sync");
    expect(stderr).toMatch(/streams\.contacts\.resource.*customerContacts.*customerContact/);
    expect(code).toBe(78);
  });

  it("name a variable that the sync file wants and nobody set", async () => {
    await scene.set({ ERP_URL: undefined });
    const { code, stderr } = await scene.run("sync");
    expect(stderr).toContain("ERP_URL");
    expect(stderr).toContain('"svcsync init"');
    expect(code).toBe(78);
  });

  it("name an env file that is not there", async () => {
    const missing = join(scene.folder, "missing.env");
    const { code, stderr } = await runCaptured(["sync", "--env-file", missing]);
    expect(stderr).toContain(`${missing} (ENOENT)`);
    expect(code).toBe(78);
  });
});

describe("what a command prints", () => {
  afterEach(() => scene.set({ ERP_URL: `sqlite:${scene.erp.path}`, SERVICE_TOKEN: "sandbox-token" }));

  it("holds no password of the ERP's address and no token, on stdout or stderr, whatever fails", async () => {
    const port = await freePort();
    await scene.set({ ERP_URL: `postgres://sync:hunter2pass@127.0.0.1:${port}/erp`, SERVICE_TOKEN: "wrong-tok3n" });
    for (const argv of [["check"], ["sync"], ["peek", "customers"], ["status"], ["status", "--json"]]) {
      const { stdout, stderr } = await scene.run(...argv);
      expect(stdout + stderr).not.toMatch(/hunter2pass|wrong-tok3n/);
    }
  });

  it("has one line per record, whatever line breaks the ERP has", async () => {
    await using own = await openScene();
    const forged = ["\n", "\r", "\r\n", "\u2028", "\u2029"].map((end) => `K${end}customers/1 is applied`);
    for (const customer_no of forged) own.erp.insertCustomer({ customer_no, name1: "x" });
    for (const key of forged) own.erp.breakOne(key);
    await own.run("sync");
    const commands = [["records"], ["records", "--each"], ["peek", "customers", "--rows", "20"], ["status"]];
    const explained = forged.map((key) => ["explain", `customers/${key}`]);
    for (const argv of [...commands, ...explained]) {
      const { stdout } = await own.run(...argv);
      expect(stdout.split(/[\n\r\u2028\u2029]/).filter((line) => line.startsWith("customers/1 is applied"))).toEqual(
        [],
      );
    }
    expect((await own.run("records", "--each")).stdout).toContain("K\\u000acustomers/1 is applied");
  });

  it("steers no terminal, whatever the ERP has", async () => {
    const key = "\u001b[2J\u009b1m\u202eK";
    scene.erp.insertCustomer({ customer_no: key, name1: "\u001b]0;owned\u0007" });
    await scene.run("sync");
    const printed = await Promise.all([
      scene.run("records", "--state", "applied"),
      scene.run("explain", `customers/${key}`),
      scene.run("explain", `customers/${key}`, "--json"),
      scene.run("explain", `customers/${key}x`),
      scene.run("peek", "customers"),
    ]);
    for (const { stdout, stderr } of printed) {
      // oxlint-disable-next-line no-control-regex -- they are what must not be there
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(stdout + stderr).toMatch(/\\u202e|\\xe2\\x80\\xae/);
    }
    expect(JSON.parse(printed[2].stdout)).toMatchObject({ id: { key } });
  });
});

describe("a store that is in use", () => {
  it("is named with the process that holds it, and commands beside it still work", async () => {
    const logger = openLogger({ level: "error", format: "json", secrets: [] });
    await using _daemon = await openStore(join(scene.folder, "data"), { as: "daemon", clock: systemClock, logger });
    const second = await scene.run("sync");
    expect(second.stderr).toMatch(new RegExp(`in use by process ${process.pid}.*E_STORE_BUSY`));
    expect(second.code).toBe(70);
    expect((await scene.run("status")).code).toBe(0);
    expect((await scene.run("check")).code).toBe(0);
  });
});

/** A web server that is not the service. */
async function plainServer(): Promise<{ url: string } & AsyncDisposable> {
  const server: Server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>");
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
