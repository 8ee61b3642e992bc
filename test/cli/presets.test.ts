import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadSyncFile } from "#mapping";
import type { JsonObject } from "#model";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { returnsText } from "../../src/cli/init/returns-text.ts";
import { presetNames, readPresets, readSampleSyncFile, templateZone } from "../../src/cli/init/presets.ts";

// The presets are inside the module: its index shows commands alone.

const presets = readPresets();

/** Something that every adapter's settings take for a value: an address that stays unreachable. */
const valueOf: Readonly<Record<string, string>> = {
  postgres: "postgres://svcsync:x@erp.invalid/erp",
  mysql: "mysql://svcsync:x@erp.invalid/erp",
  mssql: "mssql://svcsync:x@erp.invalid/erp",
  sqlite: "sqlite:/nowhere/erp.sqlite",
  ledgersmb: "postgres://svcsync:x@erp.invalid/company",
  views: "mssql://svcsync:x@erp.invalid/erp",
};

function load(name: string, text: string) {
  const variables = presets.find((preset) => preset.name === name)!.variables;
  const environment = Object.fromEntries(
    variables.map((variable) => [variable.name, valueOf[name] ?? "https://erp.invalid"]),
  );
  return loadSyncFile(text, { file: `${name}.yaml`, environment, adapters, resources: new Set(resourceNames) });
}

describe.each(presets)("the preset $name", ({ name, variables, syncFile }) => {
  it("is a sync file that loads with the adapters there are", () => {
    const { streams } = load(name, syncFile);
    expect(streams.map((stream) => stream.name)).toEqual(expect.arrayContaining(["customers", "orders"]));
  });

  it("loads with the way back, once the comment marks of that part are removed", () => {
    const [, comment = ""] = returnsText.split("#\n");
    const { returns: none, sources } = load(name, syncFile + returnsText);
    const { returns } = load(
      name,
      syncFile + comment.replaceAll(/^# /gm, "").replace("source: erp", `source: ${sources[0]!.name}`),
    );
    expect(none).toEqual([]);
    expect(returns).toMatchObject([
      { name: "reports", kind: "reports", lines: [{ kind: "time" }, { kind: "material" }] },
    ]);
  });

  it("asks for every variable of its file and for no other", () => {
    const used = syncFile
      .split("\n")
      .filter((line) => !line.trimStart().startsWith("#"))
      .flatMap((line) => [...line.matchAll(/\$\{(\w+)\}/g)].map(([, variable]) => variable));
    expect(new Set(used)).toEqual(new Set(variables.map((variable) => variable.name)));
  });

  it("loads in another time zone too", () => {
    expect(load(name, syncFile.replaceAll(templateZone, "America/New_York")).streams.length).toBeGreaterThan(0);
  });

  it("hides what is secret while it is typed", () => {
    const secret = variables.filter((variable) => /PASSWORD|SECRET|TOKEN$|KEY$/.test(variable.name));
    const shown = secret.filter(({ isSecret }) => isSecret !== true).map((variable) => variable.name);
    // The key of ERPNext is the public half; its secret is asked for hidden.
    expect(shown).toEqual(name === "erpnext" ? ["ERP_KEY"] : []);
  });

  it("clears no field that the product rarely fills and people keep in the service", () => {
    // A view or a table of your own shows a warning because it is meant for the service.
    const kept = name in valueOf && name !== "ledgersmb" ? /^(telefax|labeling)$/ : /^(warning|telefax|labeling)$/;
    const fields = Object.values<{ fields: Record<string, { own?: string }> }>(parse(syncFile).streams).flatMap(
      (stream) => Object.entries(stream.fields),
    );
    expect(fields.filter(([field, { own }]) => kept.test(field) && own === undefined)).toEqual([]);
  });

  it("says of each kind of record where it comes from, or why not", () => {
    for (const kind of ["customers", "contacts", "tickets", "orders"])
      expect(syncFile).toMatch(new RegExp(`^  (${kind}:|# (${kind}|service orders):)`, "im"));
  });
});

describe.each(["odoo", "odoo18"])("the preset %s", (name) => {
  it("filters by nothing that Odoo changes without moving the stamp", () => {
    const { streams } = load(name, presets.find((preset) => preset.name === name)!.syncFile);
    const conditions = streams.flatMap(
      ({ read }) => JSON.stringify(read).match(/"[\w.]*(customer|supplier)_rank"/g) ?? [],
    );
    expect(conditions).toEqual([]);
  });
});

const refs = async (name: string, stream: string, row: JsonObject) => {
  const { syncFile } = presets.find((preset) => preset.name === name)!;
  const mapped = await load(name, syncFile)
    .streams.find((it) => it.name === stream)!
    .map(row, false);
  if (mapped.kind !== "record") throw new Error(`${name}: ${stream} is ${mapped.kind}`);
  return Object.fromEntries(
    mapped.fields.flatMap(({ name: field, value }) => (value.kind === "ref" ? [[field, value.key]] : [])),
  );
};

const shipped = (id: number, type: string, parent: number | null) => ({
  partner_shipping_id: id,
  partner_shipping_id_type: type,
  partner_shipping_id_parent_id: parent,
});

describe("a link of Odoo to a partner", () => {
  const company = { partner_id: 1, partner_id_commercial_partner_id: 1, partner_id_type: "contact" };
  const person = { partner_id: 7, partner_id_commercial_partner_id: 1, partner_id_type: "contact" };
  const address = { partner_id: 8, partner_id_commercial_partner_id: 1, partner_id_type: "delivery" };
  const sale = { name: "S1", client_order_ref: null, state: "sale" };
  const task = { id: 3, name: "T", description: null, priority: "0", state: "1_done", active: true };
  const ticket = { id: 3, name: "T", description: null, priority: "0", close_date: null, active: true };

  it.each([
    ["odooCommunity", "orders", { ...sale, ...company, ...shipped(1, "contact", null) }, ["1", "1", null]],
    ["odooCommunity", "orders", { ...sale, ...person, ...shipped(7, "contact", 1) }, ["1", null, "7"]],
    ["odoo18Community", "orders", { ...sale, ...address, ...shipped(8, "delivery", 1) }, ["1", "8", null]],
    ["odoo", "orders", { id: 3, name: "T", active: true, ...person, partner_id_parent_id: 1 }, ["1", null, "7"]],
    ["odoo18", "orders", { id: 3, name: "T", active: true, ...address, partner_id_parent_id: 1 }, ["1", "8", null]],
    ["odooCommunity", "tickets", { ...task, ...person }, ["1", undefined, "7"]],
    ["odooCommunity", "tickets", { ...task, ...address }, ["1", undefined, null]],
    ["odoo", "tickets", { ...ticket, ...address, commercial_partner_id: 1 }, ["1", undefined, null]],
  ] as const)("waits for no record that its stream does not read: %s, %s", async (name, stream, row, wanted) => {
    const { customer, customerLocation, customerContact } = await refs(name, stream, row);
    expect([customer, customerLocation, customerContact]).toEqual(wanted);
  });
});

const lineOf = (name: string, id: number) => ({
  id,
  name,
  display_type: name === "Teil A" ? "line_section" : null,
});
const activity = (name: string) => ({ name, serviceType: 1 });

describe("the lines of an order of Odoo", () => {
  it.each(["odooCommunity", "odoo18Community"])(
    "become activities at its creation, once the comment mark in the preset %s is removed",
    async (name) => {
      const { syncFile } = presets.find((preset) => preset.name === name)!;
      const text = syncFile
        .replace("# tasks: {", "tasks: {")
        .replace(
          "        - client_order_ref\n",
          "        - client_order_ref\n        - order_line.name\n        - order_line.display_type\n",
        );
      const orders = load(name, text).streams.find((stream) => stream.name === "orders")!;
      const order = { name: "S1", client_order_ref: null, state: "sale", ...shipped(1, "contact", null) };
      const company = { partner_id: 1, partner_id_commercial_partner_id: 1, partner_id_type: "contact" };
      const tasksOf = async (...names: string[]) => {
        const mapped = await orders.map({ ...order, ...company, order_line: names.map(lineOf) }, false);
        if (mapped.kind !== "record") throw new Error(mapped.kind);
        const { own, value } = mapped.fields.find((field) => field.name === "tasks")!;
        return { own, value };
      };
      expect(await tasksOf("Teil A", "Wartung", "Fahrt\nzum Kunden")).toEqual({
        own: "create",
        value: { kind: "value", value: [activity("Wartung"), activity("Fahrt zum Kunden")] },
      });
      expect(await tasksOf("Wartung")).toMatchObject({ value: { value: [activity("Wartung")] } });
      expect(await tasksOf()).toMatchObject({ value: { value: [] } });
    },
  );
});

describe("an order of Odoo whose partner the user may not see", () => {
  it.each(["odoo", "odoo18", "odooCommunity", "odoo18Community"])(
    "loses no customer by the preset %s",
    async (name) => {
      const { syncFile } = presets.find((preset) => preset.name === name)!;
      const orders = load(name, syncFile).streams.find((stream) => stream.name === "orders")!;
      const hidden = { partner_id: 7, partner_id_commercial_partner_id: null, partner_id_type: null };
      const row = {
        id: 3,
        name: "S1",
        client_order_ref: null,
        state: "sale",
        active: true,
        ...hidden,
        partner_id_parent_id: null,
      };
      expect(await orders.map({ ...row, ...shipped(7, "contact", null) }, false)).toMatchObject({ kind: "skip" });
    },
  );
});

describe("a draft of Dolibarr", () => {
  it("is no order until it has its own number", async () => {
    const { syncFile } = presets.find((preset) => preset.name === "dolibarr")!;
    const orders = load("dolibarr", syncFile).streams.find(({ name }) => name === "orders")!;
    const row = { id: "1", ref: "(PROV1)", socid: "1", statut: "0", ref_client: null };
    expect(await orders.map(row, false)).toMatchObject({ kind: "skip" });
    expect(await orders.map({ ...row, ref: "FI2611-0001", statut: "1" }, false)).toMatchObject({ kind: "record" });
  });
});

describe("a name that depends on the version of the ERP", () => {
  it.each([
    ["erpnext", "contacts", "link_name"],
    ["weclapp", "contacts", "parentPartyId"],
    ["businessCentral", "contacts", "contactsInformation"],
    ["businessOne", "tickets", "UpdateDate"],
    ["dolibarr", "tickets", "tms"],
    ["dolibarr", "orders", "datem"],
    ["xentral", "orders", "documentNumber"],
  ])("is marked in %s, and how to look at it (%s: %s)", (name, stream, field) => {
    const { syncFile } = presets.find((preset) => preset.name === name)!;
    const [, own = ""] = syncFile.split(`\n  ${stream}:\n`);
    const comments = own.split(/\n\n/)[0]!.match(/(?:^ *#.*\n)+/gm) ?? [];
    const about = comments.find((comment) => comment.includes("depends on your version"))!.replace(/\n *# /g, " ");
    expect(about).toContain(field);
    expect(about).toContain('"svcsync check"');
    expect(about).toContain(`"svcsync peek ${stream}"`);
  });
});

describe("an order that is cancelled", () => {
  it.each([
    ["tryton", { number: "7", party: 1, state: "cancelled" }],
    ["odata", { number: "7", customer_ID: "1", status: "cancelled" }],
    ["rest", { number: "7", customer_id: 1, status: "cancelled" }],
    ["businessOne", { DocNum: 7, CardCode: "C1", DocumentStatus: "bost_Close", Cancelled: "tYES" }],
    ["weclapp", { orderNumber: "7", customerId: "1", status: "CANCELLED" }],
    ["xentral", { documentNumber: "7", address: { id: "1" }, status: "cancelled" }],
    ["erpnext", { name: "MV-7", customer: "C1", docstatus: 2 }],
  ])("is shown as such in the service by the preset %s, not left open", async (name, row) => {
    const { syncFile } = presets.find((preset) => preset.name === name)!;
    const orders = load(name, syncFile).streams.find((stream) => stream.name === "orders")!;
    expect(await orders.map(row, false)).toMatchObject({ kind: "deleted", policy: "set" });
  });
});

describe("the presets", () => {
  it("are the files of their folder", () => {
    const files = readdirSync(new URL("../../src/cli/init/presets", import.meta.url));
    const names = [...presetNames, "sample"].map((name) => `${name}.yaml`);
    expect(files.toSorted()).toEqual([...names, "views"].toSorted());
  });
});

describe("the sample's sync file", () => {
  it("is the one that is shipped", () => {
    expect(readSampleSyncFile()).toBe(readFileSync(new URL("../../config/svcsync.yaml", import.meta.url), "utf8"));
  });
});
