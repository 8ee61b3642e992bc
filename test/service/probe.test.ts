import { describe, expect, it } from "vitest";
import type { Finding, ResourceName } from "#model";
import type { SandboxOptions } from "#sandbox";
import type { ServiceDialect } from "#settings";
import { openTenant, type Tenant } from "../conformance/service-tenant.ts";
import { open, standIn } from "./stand-in.ts";
import { never } from "../kit/outcome.ts";

const MAPPED: readonly ResourceName[] = ["customer", "customerContact", "ticket"];

/** A tenant with some records of each mapped resource. */
async function populated(options: SandboxOptions = {}, changes: Partial<ServiceDialect> = {}): Promise<Tenant> {
  const tenant = await openTenant(options, changes);
  const { sandbox } = tenant;
  const [customer] = sandbox.seed("customer", [tenant.customer(1), tenant.customer(2), tenant.customer(3)]);
  sandbox.seed("customerContact", [{ name: "A", customer: customer?.id ?? 0 }]);
  const links = { priority: tenant.named("priority", "Low"), ticketStatus: tenant.named("ticketStatus", "Open") };
  sandbox.seed("ticket", [{ description: "x", tags: [tenant.named("tag", "VIP")], ...links }]);
  return tenant;
}

const remedies = (findings: readonly Finding[]) =>
  findings.flatMap(({ remedy }) => (remedy === undefined ? [] : [remedy]));

describe("the probe", () => {
  it("finds nothing to set on a tenant that is as configured, and never writes", async () => {
    await using tenant = await populated();
    const written = tenant.sandbox.ledger.writes().length;
    const findings = await tenant.service.probe(MAPPED, never);
    expect(findings.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
    expect(findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([
        "service",
        "clock",
        "list wrapper",
        "list count",
        "paging",
        "sorting",
        "record path",
        "brand",
        "create answer",
        "array update",
        ...MAPPED,
      ]),
    );
    expect(findings).toContainEqual({ subject: "ticket.tags", verdict: "ok", message: "shown as an array of ids" });
    expect(tenant.sandbox.ledger.writes()).toHaveLength(written);
    for (const { method } of tenant.sandbox.ledger.requests()) expect(method).toBe("GET");
  });

  it.each<[SandboxOptions, string]>([
    [{ listWrapper: "array" }, "DIALECT_LIST_WRAPPER=array"],
    [{ listWrapper: "array" }, "DIALECT_TOTAL_KEY=none"],
    [{ listWrapper: { key: "rows" } }, "DIALECT_LIST_WRAPPER=key:rows"],
    [{ totalCount: "no" }, "DIALECT_TOTAL_KEY=none"],
    [{ paging: { kind: "page", parameter: "page", first: 1 } }, "DIALECT_PAGING=page:page:1"],
    [{ paging: { kind: "page", parameter: "page", first: 0 } }, "DIALECT_PAGING=page:page:0"],
    [{ paging: { kind: "none" } }, "DIALECT_PAGING=none"],
    [{ sorting: false }, "DIALECT_SORT=none"],
    [{ paging: { kind: "offset", parameter: "start" } }, "DIALECT_PAGING=offset:start"],
    [{ paging: { kind: "page", parameter: "p", first: 0 } }, "DIALECT_PAGING=page:p:0"],
    [{ listKeys: { customer: "kunden" } }, "DIALECT_LIST_KEYS=customer=kunden"],
    [{ recordPath: "{resource}/id/{id}" }, "DIALECT_RECORD_PATH={resource}/id/{id}"],
    [{ recordPath: "{resource}?id={id}" }, "DIALECT_RECORD_PATH={resource}?id={id}"],
    [{ recordPath: "{resource}({id})" }, "DIALECT_RECORD_PATH={resource}({id})"],
    [{ brand: "acme" }, "DIALECT_BRAND=acme"],
    [{ recordPath: "{resource}/by/{id}" }, "ask the vendor for the path of one record and set DIALECT_RECORD_PATH"],
  ])("names the line to set on a tenant with %j: %s", async (options, line) => {
    await using tenant = await populated(options);
    expect(remedies(await tenant.service.probe(MAPPED, never))).toContain(line);
  });

  it("never advises to read without pages where a page is cut and no parameter moves it", async () => {
    await using tenant = await populated({ paging: { kind: "ignored" } });
    const findings = await tenant.service.probe(MAPPED, never);
    expect(findings.find(({ subject }) => subject === "paging")).toMatchObject({
      verdict: "problem",
      remedy: expect.stringMatching(/^ask the vendor/),
    });
  });

  it("asks no list for more than the 50 that the reference allows", async () => {
    await using tenant = await populated();
    await tenant.service.probe(MAPPED, never);
    const limits = tenant.sandbox.ledger
      .requests()
      .map(({ url }) => Number(new URL(url, "http://x").searchParams.get("limit")));
    expect(Math.max(...limits)).toBe(50);
  });

  it("names the brand as the likely cause where an empty tenant knows no path that begins with it", async () => {
    await using tenant = await openTenant({ brand: "acme" });
    const findings = await tenant.service.probe(["customer", "svcDocument"], never);
    expect(findings.filter(({ subject }) => subject === "brand")).toMatchObject([
      { verdict: "problem", remedy: expect.stringContaining("DIALECT_BRAND") },
    ]);
    expect(findings.find(({ subject }) => subject === "svcDocument")).toMatchObject({
      verdict: "problem",
      remedy: expect.stringContaining("DIALECT_BRAND"),
    });
  });

  it("keeps the pairs that are configured already in the line to set", async () => {
    await using tenant = await populated({ listKeys: { customer: "kunden" } }, { listKeys: { ticket: "ticket" } });
    expect(remedies(await tenant.service.probe(MAPPED, never))).toContain(
      "DIALECT_LIST_KEYS=ticket=ticket,customer=kunden",
    );
  });

  it("takes a user who may not list customers for let in", async () => {
    const account = { username: "u", password: "p", permissions: { "*": ["GET"], customer: [] } } as const;
    const tokens = [{ token: "sandbox-token", username: "u" }];
    await using tenant = await populated({ accounts: [account], tokens });
    await expect(tenant.service.ping(never)).resolves.toBeUndefined();
  });

  it("puts the brand before what follows from it", async () => {
    await using tenant = await populated({ brand: "acme" });
    expect(remedies(await tenant.service.probe(["ticket", "svcDocument"], never))).toEqual([
      "DIALECT_BRAND=acme",
      "set DIALECT_BRAND first and check again: its path follows the brand",
    ]);
  });

  it("warns where changedSince is ignored", async () => {
    await using tenant = await populated({ changedSince: false });
    const findings = await tenant.service.probe(["customer"], never);
    expect(findings).toContainEqual(
      expect.objectContaining({
        verdict: "warning",
        message: expect.stringContaining("changedSince is ignored"),
      }),
    );
  });

  it("names what the token's user may not read", async () => {
    const account = { username: "u", password: "p", permissions: { "*": ["GET"], ticket: [] } } as const;
    await using tenant = await populated({
      accounts: [account],
      tokens: [{ token: "sandbox-token", username: "u" }],
    });
    const findings = await tenant.service.probe(MAPPED, never);
    expect(findings).toContainEqual(
      expect.objectContaining({ subject: "ticket", verdict: "problem", remedy: expect.stringContaining("permission") }),
    );
  });

  it("names the other spelling of a path, or the nested one, where the reference's is not served", async () => {
    await using server = await standIn(({ path }) =>
      /v1\/(customer|contingent)$/.test(path) ? { json: { totalCount: 0, rows: [] } } : { status: 404 },
    );
    await using opened = open(server.url);
    const lines = remedies(await opened.service.probe(["contignent", "svcDocumentTask", "away"], never));
    expect(lines).toEqual([
      "DIALECT_PATHS=contignent=contingent",
      "it may be nested: DIALECT_PATHS=svcDocumentTask=svcDocument/{parent}/task",
      "see whether its module is licensed and how it is spelled",
    ]);
  });

  it("names the vendor's word that the tickets show", async () => {
    const ticket = { id: 1, acmeDocuments: [] };
    await using server = await standIn(({ path }) =>
      path.endsWith("ticket") ? { json: { totalCount: 1, ticket: [ticket] } } : { json: { totalCount: 0, rows: [] } },
    );
    await using opened = open(server.url);
    expect(remedies(await opened.service.probe([], never))).toContain("DIALECT_BRAND=acme");
  });

  it("warns of a clock that differs", async () => {
    await using server = await standIn(() => ({ json: { totalCount: 0, customer: [] } }));
    const clock = { now: () => Date.now() + 3_600_000 };
    await using opened = open(server.url, {}, { clock });
    const findings = await opened.service.probe([], never);
    expect(findings).toContainEqual(
      expect.objectContaining({ subject: "clock", message: expect.stringMatching(/differ by 3\d{3} seconds/) }),
    );
  });

  it("ends with one problem when the service cannot be reached or lets nobody in", async () => {
    await using unreachable = open("http://127.0.0.1:1");
    await using refusing = await standIn(() => ({ status: 401 }));
    await using refused = open(refusing.url);
    for (const { service } of [unreachable, refused])
      expect(await service.probe(MAPPED, never)).toMatchObject([{ subject: "service", verdict: "problem" }]);
  });
});
