import { defineAdapter } from "../adapter.ts";
import { readSchema, settingsSchema } from "./schema.ts";
import { openFiles } from "./source.ts";

export const files = defineAdapter({ name: "files", settings: settingsSchema, read: readSchema, open: openFiles });
