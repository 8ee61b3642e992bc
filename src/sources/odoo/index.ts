import { defineAdapter } from "../adapter.ts";
import { readSchema, settingsSchema } from "./schema.ts";
import { openOdoo } from "./source.ts";

export const odoo = defineAdapter({ name: "odoo", settings: settingsSchema, read: readSchema, open: openOdoo });
