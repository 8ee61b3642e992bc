import type { Json } from "#model";
import type { TrytonRpc } from "./rpc.ts";

export const READER = "reader";
export const PASSWORD = "right-password";

/** What a Tryton needs before anybody can sell anything, and the user of svcsync. */
export interface Company {
  readonly id: number;
  readonly currency: number;
  readonly category: number;
  readonly relationType: number;
  readonly complaintType: number;
  readonly readerId: number;
  /** The group of the users that only read. */
  readonly group: number;
}

export async function foundCompany(rpc: TrytonRpc): Promise<Company> {
  const currency = await rpc.create("currency.currency", {
    name: "Swiss Franc",
    code: "CHF",
    symbol: "Fr.",
    rates: [["create", [{ date: day(2020, 1, 1), rate: { __class__: "Decimal", decimal: "1" } }]]],
  });
  const party = await rpc.create("party.party", { name: "Our Company" });
  const id = await rpc.create("company.company", { party, currency });
  await rpc.write("res.user", [1], { companies: [["add", [id]]], company: id });
  const category = await rpc.create("party.category", { name: "Customer" });
  const relationType = await rpc.create("party.relation.type", { name: "Employed by" });
  const reverse = await rpc.create("party.relation.type", { name: "Employs", reverse: relationType });
  await rpc.write("party.relation.type", [relationType], { reverse });
  const origin = await rpc.one("ir.model", ["model", "=", "sale.sale"]);
  const complaintType = await rpc.create("sale.complaint.type", { name: "Repair", origin });
  const group = await rpc.create("res.group", { name: "Readers" });
  const sales = await rpc.one("res.group", ["name", "=", "Sales"]);
  const readerId = await rpc.create("res.user", {
    name: READER,
    login: READER,
    password: PASSWORD,
    groups: [["add", [group, sales]]],
    companies: [["add", [id]]],
    company: id,
  });
  return { id, currency, category, relationType, complaintType, readerId, group };
}

export function day(year: number, month: number, day: number): Json {
  return { __class__: "date", year, month, day };
}
