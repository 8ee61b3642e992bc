import { defineAdapter } from "../adapter.ts";
import { readSchema, settingsSchema } from "./schema.ts";

export const files = defineAdapter({
  name: "files",
  settings: settingsSchema,
  read: readSchema,
  open: async (...of) => (await import("./source.ts")).openFiles(...of),
});
