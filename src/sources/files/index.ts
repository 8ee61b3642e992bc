import { defineAdapter } from "../adapter.ts";
import { filesRead, filesSettings } from "./schema.ts";

export const filesAdapter = defineAdapter({
  name: "files",
  settings: filesSettings,
  read: filesRead,
  open: async (...of) => (await import("./source.ts")).openFiles(...of),
});
