import { defineAdapter } from "../adapter.ts";
import { readSchema, settingsSchema } from "./schema.ts";

export const odata = defineAdapter({
  name: "odata",
  settings: settingsSchema,
  read: readSchema,
  open: async (...of) => (await import("./source.ts")).openOData(...of),
});
