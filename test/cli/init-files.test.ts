import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runCaptured } from "./scene.ts";

let folder: string;
const home = process.cwd();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-init-files-"));
  process.chdir(folder);
  await mkdir("drop");
});
afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const answers = (...lines: string[]) => Readable.from(lines.map((line) => `${line}\n`));
const written = async () => parse(await readFile("config/svcsync.yaml", "utf8")) as unknown;
const given = (...more: string[]) => [
  "init",
  "--erp",
  "files",
  "--timezone",
  "Europe/Vienna",
  "--no-check",
  "--service-url",
  "https://service.example",
  ...["SERVICE_TOKEN=a-token-for-the-test", `ERP_FOLDER=${folder}/drop`, ...more].flatMap((one) => ["--set", one]),
];

const set = (...more: string[]) => runCaptured([...given(...more), "--yes"]);

describe("init on a folder of files", () => {
  it("reads them, proposes words and columns, and writes what the files show", async () => {
    await writeFile(
      "drop/Kunden_20260301.csv",
      Buffer.from("KundenNr;Name1;Name2;Gel\xf6scht\nK1;M\xfcller;GmbH;0\nK2;Ott;;1\n", "latin1"),
    );
    await writeFile(
      "drop/tickets.json",
      JSON.stringify([
        { TicketNr: "T1", KundenNr: "K1", Betreff: "Leck", Beschreibung: "tropft", FaelligAm: "2026-03-04" },
        { TicketNr: "T2", KundenNr: "K1", Betreff: "Lärm", Beschreibung: null, FaelligAm: null },
      ]),
    );
    // Customers, their columns, no contacts, no sites, tickets and their columns, no orders.
    const stdin = answers("", "", "-", "-", "", "", "-");
    const { stdout, stderr, code } = await runCaptured(given(), { stdin });
    expect(stderr).toBe("");
    expect(stdout).toContain("The folder has 2 kinds of files:\n  Kunden_*.csv\n  tickets.json\n");
    expect(stdout).not.toMatch(/^ {2}changed/m);
    expect(code).toBe(0);
    expect(await written()).toMatchObject({
      sources: { erp: { adapter: "files", timezone: "Europe/Vienna" } },
      streams: {
        customers: {
          read: {
            files: "Kunden_*.csv",
            kind: "delta",
            format: "csv",
            encoding: "cp1252",
            separator: ";",
            key: "KundenNr",
          },
          fields: { customerId: "KundenNr", name: { expr: "$join([Name1, Name2][$ != ''], ' ')" } },
          deleted: {
            when: "$lowercase($string(`Gelöscht`)) in ['1', '-1', 'true', 'y', 'yes', 'j', 'ja', 'x']",
            set: {},
          },
        },
        tickets: {
          read: { files: "tickets.json", format: "json", key: "TicketNr" },
          fields: {
            description: { expr: "$join([Betreff, Beschreibung][$ != ''], '\\n\\n')" },
            dueDate: { expr: "$utc(FaelligAm, 'Europe/Vienna')" },
          },
        },
      },
    });
  });

  it("takes them from --set, and names a part and a stream that do not exist", async () => {
    await writeFile("drop/kunden.csv", "nr,firma,aktiv\n1,a,1\n2,b,0\n");
    expect((await set("customers.table=kunden.csv", "customers.nme=firma")).stderr).toContain("found the part nme");
    expect((await set("customers.table=kunden.csv", "customers.changed=nr")).stderr).toContain(
      "found the part changed",
    );
    expect((await set("kunden.table=kunden.csv")).stderr).toContain(
      "found the stream kunden, expected one of customers",
    );
    expect((await set("customers.table=x.csv")).stderr).toContain("matches x.csv");
    expect(await set("customers.table=kunden.csv")).toMatchObject({ code: 0 });
    expect(await written()).toMatchObject({
      streams: {
        customers: {
          read: { files: "kunden.csv", separator: ",", key: "nr" },
          deleted: { when: "$lowercase($string(aktiv)) in ['0', 'false', 'n', 'no', 'nein']" },
        },
      },
    });
  });

  it("writes the template where the folder is empty", async () => {
    expect(await runCaptured([...given(), "--yes"])).toMatchObject({ code: 0 });
    expect(await written()).toMatchObject({ streams: { customers: { read: { files: "customers_*.csv" } } } });
  });
});
