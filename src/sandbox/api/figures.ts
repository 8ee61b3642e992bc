import type { FieldSpec, Figures } from "../catalogue/field.ts";
import type { Resource } from "../catalogue/resource.ts";
import type { StoredRecord } from "../records/version.ts";
import type { Tenant } from "./tenant.ts";

/** The numbers of a record and of those that link to it. */
export function figuresOf(
  tenant: Tenant,
  resource: Resource,
  record: StoredRecord,
): Figures & { stored: StoredRecord } {
  const own = (name: string): number => {
    const field = resource.fields.get(name);
    return field === undefined ? 0 : figureOf(figures, field);
  };
  const sum = (target: string, through: string, name: string): number => {
    const child = tenant.resource(target);
    let total = 0;
    for (const { version } of tenant.database.table(target).find(through, record.id))
      if (version.record !== undefined) total += figuresOf(tenant, child, version.record).own(name);
    return total;
  };
  const figures = { own, sum, stored: record };
  return figures;
}

/** The value of a field as a number: what is stored, else what is computed, else 0. */
export function figureOf(
  figures: Figures & { readonly stored: StoredRecord },
  { name, compute }: FieldSpec & { readonly name: string },
): number {
  const stored = figures.stored[name];
  return typeof stored === "number" ? stored : (compute?.(figures) ?? 0);
}
