import type { Preset } from "./preset.ts";
import { businessCentral } from "./presets/business-central.ts";
import { businessOne } from "./presets/business-one.ts";
import { dolibarr } from "./presets/dolibarr.ts";
import { erpnext } from "./presets/erpnext.ts";
import { files } from "./presets/files.ts";
import { ledgersmb } from "./presets/ledgersmb.ts";
import { odata } from "./presets/odata.ts";
import { odooPresets } from "./presets/odoo.ts";
import { rest } from "./presets/rest.ts";
import { s4hana } from "./presets/s4hana.ts";
import { sqlPresets } from "./presets/sql.ts";
import { tryton } from "./presets/tryton.ts";
import { weclapp } from "./presets/weclapp.ts";
import { xentral } from "./presets/xentral.ts";

/** Every ERP that `svcsync init` knows, in the order of its question. One line and one file make another. */
export const presets: readonly Preset[] = [
  ...sqlPresets,
  businessCentral,
  s4hana,
  businessOne,
  ...odooPresets,
  erpnext,
  weclapp,
  xentral,
  dolibarr,
  tryton,
  ledgersmb,
  odata,
  rest,
  files,
];
