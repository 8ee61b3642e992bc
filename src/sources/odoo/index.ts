import { defineAdapter } from "../adapter.ts";
import { readSchema, settingsSchema } from "./schema.ts";

export const odoo = defineAdapter({
  name: "odoo",
  settings: settingsSchema,
  read: readSchema,
  open: async (...of) => (await import("./source.ts")).openOdoo(...of),
});
