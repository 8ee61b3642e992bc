import { assert, describe, expect, it } from "vitest";
import { startSandbox } from "#sandbox";
import { openLogger, type Logger } from "#telemetry";
import { open, passwordLogin, secrets } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const PASSWORD = "pass-word-1234";
const CODE = 987_654;
/** A value that only bodies hold. */
const INSIDE = "Kaufhaus Geheimnis";

/** A log that would hide nothing: whatever keeps a secret out of it is the client's own doing. */
function logAt(level: "debug" | "info"): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { logger: openLogger({ level, format: "json", secrets: [], destination }), lines };
}

async function errorOf(work: Promise<unknown>): Promise<Error> {
  const thrown = await thrownBy(work);
  assert(thrown instanceof Error);
  return thrown;
}

describe("the log of the client", () => {
  it.each(["debug", "info"] as const)("holds no password, code, token or body at %s, whatever fails", async (level) => {
    const { logger, lines } = logAt(level);
    const account = { username: "anna", password: PASSWORD, code: CODE };
    await using sandbox = await startSandbox({ accounts: [account] });
    const login = { ...passwordLogin, username: "anna" };
    const given = { ...secrets, servicePassword: PASSWORD, serviceCode: String(CODE) };
    await using opened = open(sandbox.url, { login, answerTimeoutMs: 3_000 }, { secrets: given, logger });
    const { service } = opened;
    const failed = async (work: Promise<unknown>) => logger.error({ err: await errorOf(work) }, "failed");
    const customerStatus = sandbox.records("customerStatus")[0]?.id ?? 0;
    const customer = (number: string) => ({ name: INSIDE, customerId: number, customerStatus });

    const { serviceId } = await service.create("customer", customer("1"), never);
    const [token] = sandbox.tokens.list().filter(({ kind }) => kind === "login");
    expect(token).toBeDefined();
    sandbox.faults.add({ kind: "cut", when: "after", method: "POST", resource: "customer", count: 1 });
    await failed(service.create("customer", customer("2"), never));
    sandbox.faults.add({ kind: "brokenJson", method: "POST", resource: "customer", count: 1 });
    await failed(service.create("customer", customer("3"), never));
    sandbox.faults.add({ kind: "latency", ms: 20_000, method: "POST", resource: "customer", count: 1 });
    await failed(service.create("customer", customer("4"), never));
    await failed(service.update("customer", serviceId, { fields: { name: null }, arrays: {} }, never));
    sandbox.tokens.revoke({ staticTokens: false });
    await service.read("customer", serviceId, ["name"], never);

    const log = lines.join("");
    expect(log.match(/"failed"/g)).toHaveLength(4);
    expect(log.includes("service answered")).toBe(level === "debug");
    expect(log).not.toMatch(new RegExp(`${PASSWORD}|${CODE}|Bearer|access_token|authorization`, "i"));
    expect(log).not.toContain(INSIDE);
  });

  it("holds no credentials of a proxy, nor does the error of a proxy that refuses", async () => {
    const { logger, lines } = logAt("debug");
    const proxy = { url: "http://me:proxy-secret@127.0.0.1:1", except: [] };
    await using opened = open("http://service.example", { proxy }, { logger });
    const thrown = await errorOf(opened.service.create("customer", { name: INSIDE }, never));
    expect(thrown).toMatchObject({ code: "E_SERVICE_UNREACHABLE", outcomeUnknown: false });
    logger.error({ err: thrown }, "failed");
    expect(lines.join("")).toContain('"failed"');
    expect(lines.join("")).not.toMatch(/proxy-secret|static-token/);
  });
});
