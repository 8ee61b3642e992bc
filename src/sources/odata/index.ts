import { defineAdapter } from "../adapter.ts";
import { readSchema, settingsSchema } from "./schema.ts";
import { openOData } from "./source.ts";

export const odata = defineAdapter({ name: "odata", settings: settingsSchema, read: readSchema, open: openOData });
