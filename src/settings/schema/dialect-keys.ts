import { z } from "zod";
import { optional, withDefault } from "./key.ts";
import { oneOf, orNone, pairs, anyText, wholeNumber } from "./values.ts";

const word = /^[A-Za-z]\w*$/;

const listWrapper = z
  .string()
  .regex(/^(resource|array|key:\w+)$/, "resource, array or key:NAME")
  .transform((value): "resource" | "array" | { readonly key: string } =>
    value === "resource" || value === "array" ? value : { key: value.slice("key:".length) },
  );

type Paging =
  | { readonly kind: "offset"; readonly parameter: string }
  | { readonly kind: "page"; readonly parameter: string; readonly first: 0 | 1 }
  | { readonly kind: "none" };

const paging = z
  .string()
  .regex(/^(offset:\w+|page:\w+:[01]|none)$/, "offset:PARAMETER, page:PARAMETER:0, page:PARAMETER:1 or none")
  .transform((value): Paging => {
    const [kind, parameter, first] = value.split(":");
    if (kind === "none" || parameter === undefined) return { kind: "none" };
    return kind === "offset"
      ? { kind: "offset", parameter }
      : { kind: "page", parameter, first: first === "0" ? 0 : 1 };
  });

const sort = z
  .string()
  .regex(/^\w+=.+$/, "PARAMETER=VALUE or none")
  .transform((value) => {
    const at = value.indexOf("=");
    return { parameter: value.slice(0, at), value: value.slice(at + 1) };
  });

const recordPath = z
  .string()
  .refine(
    (value) => value.includes("{resource}") && value.includes("{id}") && !value.startsWith("/"),
    "a path with {resource} and {id} that does not begin with /",
  );

/** One key per member of the dialect. `svcsync check --service` prints the lines that a tenant needs. */
export const dialectKeys = {
  DIALECT_BRAND: withDefault(
    z.string().regex(word, "a word of letters and digits"),
    "svc",
    "The word that the tenant's API has where the reference writes svc: in paths, list keys, fields and link names.",
  ),
  DIALECT_LIST_WRAPPER: withDefault(
    listWrapper,
    "resource",
    "Where the rows of a list are: resource (under the resource's name), array (the answer itself) or key:NAME.",
  ),
  DIALECT_LIST_KEYS: optional(
    pairs,
    "svcDocumentTask=task,ticketMessage=message",
    "List keys that differ from the resource's name.",
  ),
  DIALECT_PAGING: withDefault(
    paging,
    "offset:offset",
    "How lists are paged: offset:PARAMETER, page:PARAMETER:FIRST (FIRST is 0 or 1), or none.",
  ),
  DIALECT_PAGE_SIZE: withDefault(
    wholeNumber(2, 50),
    "50",
    "Records per page, 2 to 50: each page begins with the last record of the one before.",
  ),
  DIALECT_SORT: withDefault(
    orNone(sort, "PARAMETER=VALUE or none"),
    "sortings=id asc",
    "The query parameter that keeps pages in a stable order, or none.",
  ),
  DIALECT_TOTAL_KEY: withDefault(
    orNone(z.string().regex(word, "a member's name or none"), "a member's name or none"),
    "totalCount",
    "The member of a list that counts all its records, or none.",
  ),
  DIALECT_RECORD_PATH: withDefault(recordPath, "{resource}/{id}", "The path of one record below restApi/v1/."),
  DIALECT_CREATE_ANSWER: withDefault(
    oneOf(["record", "id", "location", "none"]),
    "record",
    "What a create answers: record, id, location (a header) or none. With none, new records are found by their `match`.",
  ),
  DIALECT_ARRAY_UPDATE: withDefault(
    oneOf(["object", "merge"]),
    "object",
    "How arrays such as tags are changed: object ({ action, ids }) or merge (read, merge, write the whole array).",
  ),
  DIALECT_PATHS: optional(
    pairs.pipe(z.record(z.string(), anyText)),
    "contignent=contingent,svcDocumentTask=svcDocument/{parent}/task",
    "Paths that differ from the resource's name; {parent} is the id of the record above.",
  ),
};
