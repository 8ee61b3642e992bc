import type { CustomerRow, SampleErp } from "#sandbox";
import type { SandboxProcess } from "../sandbox-process.ts";

/** What the service holds, compared with the ERP. */
export interface Verdict {
  /** Customers of the ERP that the service has exactly once, with the right values. */
  readonly right: number;
  readonly missing: number;
  /** Records beyond the first one of the same customer. */
  readonly duplicates: number;
}

const STATUS_NAMES = { A: "Active", I: "Inactive", P: "Prospect" } as const;

export async function verdictOn(sandbox: SandboxProcess, erp: SampleErp): Promise<Verdict> {
  const statuses = new Map((await sandbox.records("customerStatus")).map(({ id, name }) => [name, id]));
  const found = Map.groupBy(await sandbox.records("customer"), ({ customerId }) => customerId);
  let right = 0;
  let missing = 0;
  let duplicates = 0;
  for (const row of erp.all("customers")) {
    const [record, ...more] = found.get(row.customer_no) ?? [];
    duplicates += more.length;
    if (record === undefined) missing++;
    else if (more.length === 0 && isRight(record, wantedOf(row, statuses))) right++;
  }
  return { right, missing, duplicates };
}

function isRight(record: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>): boolean {
  // The service keeps no difference between an empty text and none.
  return Object.entries(wanted).every(([field, value]) => (record[field] ?? "") === (value ?? ""));
}

function wantedOf(row: CustomerRow, statuses: ReadonlyMap<unknown, number>): Record<string, unknown> {
  return {
    name: `${row.name1} ${row.name2 ?? ""}`.replaceAll(/\s+/g, " ").trim(),
    shortName: row.short_name,
    wildcardAddress: row.email_domain,
    warning: row.warning,
    customerStatus: statuses.get(STATUS_NAMES[row.status]),
  };
}
