import { describe, expect, it } from "vitest";
import type { Return } from "#model";
import type { SandboxOptions } from "#sandbox";
import { DocumentNumber } from "../../../src/returns/follow/document-number.ts";
import { SetClock } from "../../kit/clock.ts";
import { thrownBy } from "../../kit/outcome.ts";
import { brief, customerOf, reportStream, returnTenant } from "../tenant.ts";

const signal = AbortSignal.timeout(60_000);

async function scene(
  options: SandboxOptions & { readonly withTicket?: boolean; readonly mayWrite?: () => boolean } = {},
) {
  const { withTicket = true, mayWrite = () => true, ...switches } = options;
  const tenant = await returnTenant(switches, { mayWrite });
  const { sandbox, service } = tenant;
  const customer = customerOf(sandbox);
  const ticket = withTicket ? sandbox.seed("ticket", [{ customer }])[0]!.id : null;
  const { id } = sandbox.people.approvedReport({ customer, ticket });
  for (let at = 0; at < 3; at++) sandbox.people.approvedReport({ customer });
  const follow = new DocumentNumber({ service, pausesMs: [1, 1] }, reportStream().whenAccepted!);
  const item: Return = {
    stream: "reports",
    subject: String(id),
    version: 1,
    kind: "fact",
    serviceId: id,
    replaces: undefined,
    hash: "",
    content: { fields: {}, lines: [] },
  };
  const carryOut = (document = "R-1") =>
    follow.carryOut(item, { result: "ok", document, message: undefined, at: 0 }, signal);
  const invoices = () =>
    sandbox.records("invoice").map(({ svcDocument, invoiceNumber, status }) => [svcDocument, invoiceNumber, status]);
  const puts = () => sandbox.ledger.requests({ method: "PUT", resource: "invoice" }).length;
  const own = () => sandbox.records("invoice").find(({ svcDocument }) => svcDocument === id);
  return { tenant, sandbox, id, carryOut, invoices, puts, own };
}

describe("the document number of the ERP", () => {
  it.each([
    [{ withTicket: true }, ["ticketIds"]],
    [{ withTicket: false, statusFilter: "works" }, ["status=open"]],
    [{ withTicket: false, statusFilter: "ignored" }, ["status=open"]],
  ] as const)("is written into the one invoice of the report, once (%o)", async (options, narrowed) => {
    const { tenant, id, carryOut, own, invoices, puts } = await scene(options);
    await using _ = tenant;
    await carryOut();
    expect(own()).toMatchObject({ invoiceNumber: "R-1", status: "INVOICED" });
    expect(
      invoices()
        .filter(([report]) => report !== id)
        .every(([, number]) => number === null),
    ).toBe(true);
    expect(puts()).toBe(1);
    const asked = brief(tenant.asked(), "invoice?");
    expect(narrowed.every((filter) => asked[0]?.includes(filter))).toBe(true);
    expect(tenant.sandbox.record("svcDocument", id)).toMatchObject({ invoiceNumber: "R-1" });
  });

  it.each([true, false])("is not written again when it is there already (ticket: %s)", async (withTicket) => {
    const { tenant, carryOut, puts } = await scene({ withTicket, statusFilter: "works" });
    await using _ = tenant;
    await carryOut();
    await carryOut();
    expect(puts()).toBe(1);
  });

  it("is written once although the answer was lost", async () => {
    const { tenant, sandbox, carryOut, own, puts } = await scene();
    await using _ = tenant;
    sandbox.faults.add({ kind: "cut", when: "after", method: "PUT", count: 1 });
    expect(await thrownBy(carryOut())).toMatchObject({ family: "retry", outcomeUnknown: true });
    await carryOut();
    expect(own()).toMatchObject({ invoiceNumber: "R-1", status: "INVOICED" });
    expect(puts()).toBe(1);
  });

  it("replaces no other number", async () => {
    const { tenant, sandbox, carryOut, own, puts } = await scene();
    await using _ = tenant;
    sandbox.people.edit("invoice", own()!.id, { invoiceNumber: "X-9", status: "INVOICED" });
    expect(await thrownBy(carryOut())).toMatchObject({
      code: "E_RETURN_FOLLOW",
      family: "park",
      message: expect.stringContaining('has invoiceNumber "X-9"; the ERP says "R-1"'),
    });
    expect(puts()).toBe(0);
  });

  it("waits for an invoice record that comes later", async () => {
    const clock = new SetClock();
    const { tenant, carryOut, own } = await scene({ clock, invoiceDelayMs: 5_000 });
    await using _ = tenant;
    expect(await thrownBy(carryOut())).toMatchObject({
      code: "E_RETURN_FOLLOW",
      message: expect.stringContaining("no invoice yet"),
    });
    clock.advance(5_000);
    await carryOut();
    expect(own()).toMatchObject({ invoiceNumber: "R-1" });
  });

  it("is tried again, without a second write, while the invoice still shows another state", async () => {
    const { tenant, sandbox, carryOut, own, puts } = await scene();
    await using _ = tenant;
    await carryOut();
    sandbox.people.edit("invoice", own()!.id, { status: "OPEN" });
    expect(await thrownBy(carryOut())).toMatchObject({ code: "E_RETURN_FOLLOW", family: "retry" });
    // The schema spells states small, answers spell them in capitals.
    sandbox.people.edit("invoice", own()!.id, { status: "invoiced" });
    await carryOut();
    expect(puts()).toBe(1);
  });

  it("is not written while another daemon may have the store", async () => {
    const { tenant, carryOut, own } = await scene({ mayWrite: () => false });
    await using _ = tenant;
    expect(await thrownBy(carryOut())).toMatchObject({ code: "E_STORE_UNREACHABLE" });
    expect(own()).toMatchObject({ invoiceNumber: null });
  });
});
