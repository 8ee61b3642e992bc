import { defineAdapter } from "../adapter.ts";
import { odooRead, odooSettings } from "./schema.ts";

export const odooAdapter = defineAdapter({
  name: "odoo",
  settings: odooSettings,
  read: odooRead,
  open: async (...of) => (await import("./source.ts")).openOdoo(...of),
});
