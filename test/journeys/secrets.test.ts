import { readdir, readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setStage, until, untilState, type Stage } from "./stage.ts";

const token = "tok-9f3b7c51e2d84a60";
const password = "p4ss-wörd&/zu%geheim";
const erpPassword = "erp-pw-77aa31";
const key = "10001";

/** Stands before the service and notes every token that passes. */
async function startListener(service: string) {
  const tokens = new Set<string>();
  const server = createServer((asked, answer) => {
    const { authorization } = asked.headers;
    if (authorization !== undefined) tokens.add(authorization.replace("Bearer ", ""));
    const { method = "GET", headers } = asked;
    const onwards = request(new URL(asked.url ?? "/", service), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.on("error", () => answer.destroy());
      answered.pipe(answer);
    });
    onwards.on("error", () => answer.destroy());
    asked.pipe(onwards);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return { url: `http://127.0.0.1:${port}`, tokens, [Symbol.asyncDispose]: close };
}

/** Every file below a folder, read as bytes. */
async function files(folder: string): Promise<{ name: string; bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const name = join(entry.parentPath, entry.name);
        return { name, bytes: await readFile(name) };
      }),
  );
}

/** The ways in which a secret may stand in a text. */
function spellings(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    JSON.stringify(secret).slice(1, -1),
  ];
}

/** Lets everything happen that talks about requests: a load, refusals, cut connections, expired tokens. */
async function eventful(stage: Stage) {
  const { erp, sandbox } = stage;
  erp.insertCustomer({ customer_no: key });
  erp.insertCustomer({ customer_no: "10002", name1: "" });
  const running = await stage.start();
  const { store } = running;
  await untilState(store, "applied", { stream: "customers", key });
  await untilState(store, "parked", { stream: "customers", key: "10002" });
  sandbox.faults.add({ kind: "cut", when: "after", method: "PUT", count: 3 });
  sandbox.faults.add({ kind: "serverError", html: true, method: "PUT", skip: 3, count: 3 });
  sandbox.faults.add({ kind: "revokeTokens", method: "PUT", skip: 6, count: 1 });
  erp.renameCustomer(key, "Neu GmbH");
  await until("it arrived after all", () => sandbox.records("customer").some(({ name }) => name === "Neu GmbH"));
  await untilState(store, "applied", { stream: "customers", key });
  const pages: string[] = [];
  for (const path of ["/", "/healthz", "/readyz", "/metrics", "/records?state=parked", `/records/customers/${key}`])
    pages.push(await (await fetch(`${running.daemon.url}${path}`)).text());
  for (const argv of [["status"], ["records"], ["explain", `customers/${key}`], ["check"]]) {
    const { stdout, stderr } = await stage.command(...argv);
    pages.push(stdout, stderr);
  }
  const stored = await files(stage.dataDir);
  await running[Symbol.asyncDispose]();
  stored.push(...(await files(stage.dataDir)));
  return { log: running.log.text, pages, stored };
}

describe("a secret", () => {
  it.each([
    {
      what: "a password, and the tokens it is exchanged for",
      environment: { SERVICE_TOKEN: "", SERVICE_USERNAME: "sync", SERVICE_PASSWORD: `"${password}"` },
      secrets: [password, erpPassword],
    },
    { what: "a static token", environment: { SERVICE_TOKEN: token }, secrets: [token, erpPassword] },
  ])("is in no log, no store and no page at level debug: $what", async ({ environment, secrets }) => {
    const accounts = [{ username: "sync", password }];
    await using stage = await setStage({ service: { accounts, tokens: [{ token, username: "sync" }] } });
    await using listener = await startListener(stage.sandbox.url);
    await stage.set({ SERVICE_URL: listener.url, ERP_PASSWORD: erpPassword, ...environment });
    const seen = await eventful(stage);
    expect(listener.tokens.size).toBeGreaterThan(0);
    expect(seen.log).toContain("service answered");
    expect(seen.stored.length).toBeGreaterThan(1);
    for (const secret of [...secrets, ...listener.tokens])
      for (const spelling of spellings(secret)) {
        expect(seen.log).not.toContain(spelling);
        for (const page of seen.pages) expect(page).not.toContain(spelling);
        for (const { name, bytes } of seen.stored) expect([name, bytes.includes(spelling)]).toEqual([name, false]);
      }
  });
});
