import type { Json } from "#model";
import type { TrytonRpc } from "./rpc.ts";

export const READER = "reader";
/** Sees what svcsync's user sees, with a password that stays. */
export const AUDITOR = "auditor";
export const PASSWORD = "right-password";

/** What a Tryton needs before anybody can sell anything, and the users of the trial. */
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
  const origin = await one(rpc, "ir.model", ["model", "=", "sale.sale"]);
  const complaintType = await rpc.create("sale.complaint.type", { name: "Repair", origin });
  const group = await rpc.create("res.group", { name: "Readers" });
  const sales = await one(rpc, "res.group", ["name", "=", "Sales"]);
  const user = (login: string) => ({
    name: login,
    login,
    password: PASSWORD,
    groups: [["add", [group, sales]]],
    companies: [["add", [id]]],
    company: id,
  });
  const readerId = await rpc.create("res.user", user(READER));
  await rpc.create("res.user", user(AUDITOR));
  return { id, currency, category, relationType, complaintType, readerId, group };
}

async function one(rpc: TrytonRpc, model: string, condition: Json): Promise<number> {
  const found = await rpc.call(model, "search", [condition], 0, 1, null);
  if (!Array.isArray(found) || typeof found[0] !== "number") throw new Error(`Tryton has no ${model} of the trial`);
  return found[0];
}

export function day(year: number, month: number, day: number): Json {
  return { __class__: "date", year, month, day };
}
