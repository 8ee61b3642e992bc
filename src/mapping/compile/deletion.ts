import type { MappedField, MappedValue } from "../contract.ts";
import type { ConstantLookup } from "./field.ts";
import type { SetWords, StreamHead } from "../words.ts";

type DeletedWords = NonNullable<StreamHead["deleted"]>;

/** What becomes of a deleted record, made once: it holds nothing but constants. */
export type Deletion =
  | { readonly kind: "deleted"; readonly policy: "ignore" | "delete" }
  | { readonly kind: "deleted"; readonly policy: "set"; readonly fields: readonly MappedField[] };

export function compileDeletion(words: DeletedWords | undefined): Deletion {
  if (words?.delete) return { kind: "deleted", policy: "delete" };
  if (!words?.set) return { kind: "deleted", policy: "ignore" };
  const fields = Object.entries(words.set).map(([name, set]) => ({
    name,
    value: setValue(set),
    own: "always" as const,
  }));
  return { kind: "deleted", policy: "set", fields };
}

function setValue(words: SetWords): MappedValue {
  if (words === null || typeof words !== "object") return { kind: "value", value: words };
  if ("const" in words) return { kind: "value", value: words.const };
  const { lookup: resource, by, value } = words;
  return { kind: "lookup", resource, by, value: typeof value === "boolean" ? String(value) : value };
}

/** The lookups of a deletion: all of them are constants. */
export function deletionLookups(deletion: Deletion): ConstantLookup[] {
  if (deletion.policy !== "set") return [];
  return deletion.fields.flatMap(({ value }) => {
    if (value.kind !== "lookup" || value.value === null) return [];
    return [{ resource: value.resource, by: value.by, value: value.value }];
  });
}
