import { defineAdapter } from "../adapter.ts";
import { readSchema, settingsSchema } from "./schema.ts";

export const rest = defineAdapter({
  name: "rest",
  settings: settingsSchema,
  read: readSchema,
  open: async (...of) => (await import("./source.ts")).openRest(...of),
});
