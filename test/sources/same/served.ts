import type { ErpRows, ErpTable } from "./erp-rows.ts";

/** The same rows as one kind of ERP shows them, and the words of the sync file that read them. */
export interface Served extends AsyncDisposable {
  /** What stands behind `erp:` in the sync file. */
  readonly source: string;
  /** What stands behind `read:` for a table. */
  readonly read: (table: ErpTable) => string;
  /** What the ERP calls a column of the sample. */
  readonly column: (name: string) => string;
  /** The columns of a child that name its parent. */
  readonly parents: { readonly customer: string; readonly contact: string; readonly ticket: string };
  /** An expression for the contact's key as people write it: customer, slash, number. */
  readonly contactKey: string;
}

export type Serve = (rows: ErpRows) => Promise<Served>;

/** For an ERP whose columns are those of the sample. */
export function ownName(name: string): string {
  return name;
}

/** Parents that are named by the sample's own columns, under the ERP's names. */
export function plainParents(column: (name: string) => string): Pick<Served, "parents" | "contactKey"> {
  const [customer, contact, ticket] = ["customer_no", "contact_no", "ticket_no"].map(column);
  return {
    parents: { customer: customer!, contact: `[${customer}, ${contact}]`, ticket: ticket! },
    contactKey: `${customer} & '/' & ${contact}`,
  };
}
