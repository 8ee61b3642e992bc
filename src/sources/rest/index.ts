import { defineAdapter } from "../adapter.ts";
import { readSchema, settingsSchema } from "./schema.ts";
import { openRest } from "./source.ts";

export const rest = defineAdapter({ name: "rest", settings: settingsSchema, read: readSchema, open: openRest });
