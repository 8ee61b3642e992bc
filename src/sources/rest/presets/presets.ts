import type { z } from "zod";
import type { PresetRead, presetSchema, RestSettings } from "../schema.ts";
import type { RestShapes } from "../shape.ts";
import { dolibarr } from "./dolibarr.ts";
import { erpnext } from "./erpnext.ts";
import { tryton } from "./tryton.ts";
import { weclapp } from "./weclapp.ts";
import { xentral } from "./xentral.ts";

/** What each known product needs beyond a URL and a key. */
export const presets: Readonly<
  Record<z.infer<typeof presetSchema>, (read: PresetRead, settings: RestSettings) => RestShapes>
> = { erpnext, weclapp, xentral, dolibarr, tryton };
