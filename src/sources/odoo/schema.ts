import { z } from "zod";
import { timeLimit } from "#model";
import { secret } from "../secret.ts";
import { jsonValue } from "../wire/stamps/values.ts";
import { headerText, pollSettings, webSettings } from "../wire/client/web-settings.ts";

const { url, headers, answerLimitMb, connections, caFile, proxy } = webSettings;

export const odooSettings = z.strictObject({
  url: url.describe("Address of Odoo, without a path"),
  protocol: z
    .enum(["json2", "jsonrpc"])
    .default("json2")
    .describe("json2 for Odoo 19 and later, jsonrpc for 18 and earlier"),
  database: z.string().min(1).describe("Name of the database"),
  username: z.string().optional().describe("Login of the user; jsonrpc needs it"),
  key: secret(headerText.min(1)).describe("API key of the user (or, with jsonrpc, the password)"),
  headers,
  timeout: timeLimit.default(90_000).describe("Longest time for one answer"),
  answerLimitMb,
  connections,
  caFile,
  proxy,
});
export type OdooSettings = z.infer<typeof odooSettings>;

export const odooRead = z.strictObject({
  model: z.string().min(1).describe("Model, e.g. res.partner"),
  key: z.string().default("id").describe("Field that names a record"),
  changed: z.string().nullable().default("write_date").describe("Change stamp; null: every poll reads the whole model"),
  domain: z.array(jsonValue).default([]).describe("A fixed condition, as an Odoo domain"),
  fields: z
    .array(z.string().regex(/^\w+(\.\w+)?$/, "expected a field, or a field through one link: partner_id.email"))
    .min(1)
    .describe(
      "Fields to read; partner_id.email, the e-mail address behind a link, arrives as partner_id_email; order_line.name, of many records, in the list order_line",
    ),
  archived: z
    .boolean()
    .default(true)
    .describe("Read archived records too: being archived is then seen as a change of `active`"),
  context: z.record(z.string(), jsonValue).default({}).describe("Context of every call, e.g. { lang: de_DE }"),
  size: z.int().min(1).max(10_000).default(500).describe("Records per page"),
  ...pollSettings,
});
export type OdooRead = z.infer<typeof odooRead>;
