import { defineAdapter } from "../adapter.ts";
import { odataRead, odataSettings } from "./schema.ts";

export const odataAdapter = defineAdapter({
  name: "odata",
  settings: odataSettings,
  read: odataRead,
  open: async (...of) => (await import("./source.ts")).openOData(...of),
});
