import { defineAdapter } from "../adapter.ts";
import { filesRead, filesSettings } from "./schema.ts";

export const filesAdapter = defineAdapter({
  name: "files",
  settings: filesSettings,
  read: filesRead,
  inbox: "folder",
  open: async (...of) => (await import("./source.ts")).openFiles(...of),
});
