import { describe, expect, it } from "vitest";
import { RetryError, type Json } from "#model";
import type { Service } from "#service";
import { startSandbox, type Sandbox, type SandboxOptions } from "#sandbox";
import { exampleEnvironment } from "../settings/example-environment.ts";
import { standIn } from "../service/stand-in.ts";
import { serviceOf } from "./service-of-settings.ts";
import { never } from "../kit/outcome.ts";

/** One line of an env file, the tenant that needs it, and what the tenant then sees or no longer sees. */
interface Case {
  readonly line: string;
  readonly tenant: SandboxOptions;
  readonly sees?: RegExp;
  readonly never?: RegExp;
}

const cases: Readonly<Record<string, Case>> = {
  DIALECT_BRAND: { line: "acme", tenant: { brand: "acme" }, sees: /v1\/acmeDocument\?/, never: /v1\/svc/ },
  DIALECT_PAGING: {
    line: "page:p:1",
    tenant: { paging: { kind: "page", parameter: "p", first: 1 } },
    sees: /p=2\b/,
    never: /offset=/,
  },
  DIALECT_PAGE_SIZE: { line: "20", tenant: {}, sees: /limit=20\b/, never: /limit=50\b/ },
  DIALECT_SORT: { line: "none", tenant: { sorting: false }, never: /sortings=/ },
  // A list that does not count itself has ended when a page shows nothing but the last row of the one before.
  DIALECT_TOTAL_KEY: { line: "none", tenant: {}, sees: /v1\/customer\?\S*offset=54\b/ },
  DIALECT_RECORD_PATH: {
    line: "{resource}/id/{id}",
    tenant: { recordPath: "{resource}/id/{id}" },
    sees: /PUT \S+customer\/id\/\d+/,
  },
  DIALECT_CREATE_ANSWER: { line: "none", tenant: { createAnswer: "none" }, never: /POST \S+customer\?fields/ },
  DIALECT_ARRAY_UPDATE: {
    line: "merge",
    tenant: { arrayUpdate: "refused" },
    sees: /PUT \S+ticket\/\d+\S* 200/,
    never: /PUT \S+ticket\/\d+\S* 400/,
  },
  DIALECT_PATHS: {
    line: "customer=kunde,svcDocumentMessage=svcDocument/{parent}/message",
    tenant: { paths: { customer: "kunde" } },
    sees: /v1\/kunde\?/,
    never: /v1\/customer[?/]/,
  },
};

/** Creates, lists, reads, edits and deletes; then the requests that this took, one a line. */
async function story(service: Service, sandbox: Sandbox): Promise<string> {
  const named = (resource: string, name: string) =>
    sandbox.records(resource).find((record) => record["name"] === name)?.id ?? 0;
  const customerStatus = named("customerStatus", "Active");
  const ids: number[] = [];
  for (let at = 0; at < 55; at++) {
    const fields = { name: `Kunde ${at}`, customerId: `K-${at}`, customerStatus };
    const id = await service.create("customer", fields, never).then(({ serviceId }) => serviceId, unlessUnknown);
    ids.push(id ?? sandbox.records("customer").at(-1)?.id ?? 0);
  }
  expect(sandbox.records("customer").map(({ id }) => id)).toEqual(ids);
  const rows: Json[] = [];
  for await (const page of service.list("customer", { fields: ["customerId"] }, never)) rows.push(...page);
  expect(rows).toHaveLength(55);
  expect(await service.read("customer", ids[0] ?? 0, ["name"], never)).toMatchObject({ name: "Kunde 0" });
  const edit = { fields: { name: "Neu" }, arrays: {} };
  expect((await service.update("customer", ids[0] ?? 0, edit, never)).dropped).toEqual([]);
  expect(await service.lookup("priority", "name", "High", never)).toBe(named("priority", "High"));
  const [vip, montage] = [named("tag", "VIP"), named("tag", "Montage")];
  const links = { priority: named("priority", "Low"), ticketStatus: named("ticketStatus", "Open") };
  const [ticket] = sandbox.seed("ticket", [{ description: "x", ...links, tags: [vip] }]);
  const tags = { fields: {}, arrays: { tags: { add: [montage], remove: [] } } };
  expect((await service.update("ticket", ticket?.id ?? 0, tags, never)).dropped).toEqual([]);
  expect(sandbox.record("ticket", ticket?.id ?? 0)?.["tags"]).toEqual([vip, montage]);
  sandbox.seed("svcDocument", [{ customer: ids[1] ?? 0 }]);
  for await (const page of service.list("svcDocument", { fields: ["customer"] }, never)) expect(page).toHaveLength(1);
  await service.remove("customer", ids[2] ?? 0, never);
  expect(sandbox.record("customer", ids[2] ?? 0)).toBeUndefined();
  const lines = sandbox.ledger.requests().map(({ method, url, status }) => `${method} ${url} ${status}`);
  return lines.join("\n");
}

/** A create without an id in its answer is carried out all the same. */
function unlessUnknown(thrown: unknown): undefined {
  if (!(thrown instanceof RetryError) || thrown.code !== "E_CREATE_UNKNOWN") throw thrown;
}

describe("a line of the env file", () => {
  it.each(Object.entries(cases))(
    "%s makes the client speak as the tenant does",
    async (key, { line, tenant, ...see }) => {
      await using sandbox = await startSandbox(tenant);
      await using service = serviceOf(sandbox.url, { [key]: line });
      const requests = await story(service, sandbox);
      expect(requests).toMatch(see.sees ?? /./);
      expect(requests).not.toMatch(see.never ?? /^$/);
    },
  );

  it.each(Object.entries(cases))("%s is needed for that", async (key, { tenant, sees, never: unseen }) => {
    await using sandbox = await startSandbox(tenant);
    await using service = serviceOf(sandbox.url, {});
    const requests = await story(service, sandbox).catch(() => undefined);
    const asWanted = requests !== undefined && (sees?.test(requests) ?? true) && !(unseen?.test(requests) ?? false);
    expect([key, asWanted]).toEqual([key, false]);
  });

  it.each([
    ["DIALECT_LIST_WRAPPER", "key:rows", { rows: [{ id: 1 }], further: [{ id: 2 }] }],
    ["DIALECT_LIST_KEYS", "customer=kunden", { kunden: [{ id: 1 }], further: [{ id: 2 }] }],
    ["DIALECT_LIST_WRAPPER", "array", [{ id: 1 }]],
  ])("%s=%s says where the rows are", async (key, line, json: Json) => {
    await using server = await standIn(() => ({ json }));
    await using service = serviceOf(server.url, { [key]: line, DIALECT_PAGING: "none" });
    const rows: Json[] = [];
    for await (const page of service.list("customer", { fields: ["id"] }, never)) rows.push(...page);
    expect(rows).toEqual([{ id: 1 }]);
  });

  it("is proved here for every key of the dialect", () => {
    const keys = new Set([...exampleEnvironment().matchAll(/DIALECT_[A-Z_]+/g)].map(([key]) => key));
    expect(new Set([...Object.keys(cases), "DIALECT_LIST_WRAPPER", "DIALECT_LIST_KEYS"])).toEqual(keys);
  });
});
