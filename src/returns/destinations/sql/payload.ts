import { z } from "zod";
import { canonicalJson, parsedJson, type JsonObject, type Return, type ReturnContent } from "#model";

const fields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const shape = z.object({
  fields,
  lines: z.array(
    z.object({
      kind: z.string(),
      id: z.int(),
      change: z.enum(["added", "changed", "removed", "same"]),
      amount: z.string().nullable(),
      amountBefore: z.string().nullable(),
      fields,
    }),
  ),
});

/** All that a return says, for an ERP that reads documents rather than columns. */
export function payloadOf({ content }: Pick<Return, "content">): string {
  const lines = content.lines.map(({ fields, ...line }): JsonObject => ({ ...line, fields: { ...fields } }));
  return canonicalJson({ fields: { ...content.fields }, lines });
}

/** What a payload says; undefined where it is none. */
export function contentIn(payload: string): ReturnContent | undefined {
  return shape.safeParse(parsedJson(payload)).data;
}
