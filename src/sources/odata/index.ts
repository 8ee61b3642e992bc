import { defineAdapter } from "../adapter.ts";
import { odataRead, odataSettings } from "./schema.ts";

export const odata = defineAdapter({
  name: "odata",
  settings: odataSettings,
  read: odataRead,
  open: async (...of) => (await import("./source.ts")).openOData(...of),
});
