import type { Row } from "#model";

/** A customer of the ERP, with a value in every column that the stream reads. */
export function customerRow(customer_no: string, name1: string, deleted = 0): Row {
  return {
    customer_no,
    name1,
    name2: null,
    short_name: null,
    status: "A",
    email_domain: null,
    remarks: null,
    warning: null,
    deleted,
  };
}
