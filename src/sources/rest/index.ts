import { defineAdapter } from "../adapter.ts";
import { restRead, restSettings } from "./schema.ts";

export const restAdapter = defineAdapter({
  name: "rest",
  settings: restSettings,
  read: restRead,
  open: async (...of) => (await import("./source.ts")).openRest(...of),
});
