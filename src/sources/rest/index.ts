import { defineAdapter } from "../adapter.ts";
import { restRead, restSettings } from "./schema.ts";

export const rest = defineAdapter({
  name: "rest",
  settings: restSettings,
  read: restRead,
  open: async (...of) => (await import("./source.ts")).openRest(...of),
});
