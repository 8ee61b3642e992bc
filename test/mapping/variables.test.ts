import { describe, expect, it } from "vitest";
import { load } from "./sample.ts";

function file(url: string): string {
  return `sources:
  erp: { adapter: sql, url: ${JSON.stringify(url)} }
streams:
  it: { source: erp, read: { table: t, key: k }, resource: tag, fields: { name: name } }
`;
}

function settings(url: string, environment: Record<string, string>): unknown {
  return load(file(url), environment).sources[0]!.settings;
}

describe("variables in sources", () => {
  it("are filled in from the environment, anywhere in a text", () => {
    expect(settings("mssql://${USER}:${PASS}@host", { USER: "sync", PASS: "p$1${x}" })).toEqual({
      url: "mssql://sync:p$1${x}@host",
    });
  });

  it("are told from dollar signs: $$ is one, and one alone stays", () => {
    expect(settings("a$$b $c $${D}", {})).toEqual({ url: "a$b $c ${D}" });
  });

  it.each([
    [
      "${ERP_URL}",
      "the variable ERP_URL is not set or empty; set it in the env file (.env, or the file of --env-file) or in the environment of svcsync: ERP_URL=…",
      30,
    ],
    [
      "host/${ERP_URL}",
      "the variable ERP_URL is not set or empty; set it in the env file (.env, or the file of --env-file) or in the environment of svcsync: ERP_URL=…",
      35,
    ],
    ["${constructor}", "the variable constructor is not set or empty; set it in the env file", 30],
    ["${ERP URL}", 'found "${" that begins no variable, expected ${NAME} (a dollar sign itself is written $$)', 30],
    ["${ERP_URL", 'found "${" that begins no variable, expected ${NAME} (a dollar sign itself is written $$)', 30],
  ])("that cannot be filled in are named: %s", (url, message, column) => {
    expect(() => load(file(url), {})).toThrow(`sync.yaml:2:${column} sources.erp.url: ${message}`);
  });

  it("never show a value, however wrong it is", () => {
    const text = file("${SECRET}").replace("url:", 'timezone: { zone: "${SECRET}" }, ur: "${SECRET}", url:');
    let message = "";
    try {
      load(text, { SECRET: "hunter2" });
    } catch (error) {
      message = JSON.stringify([error, String(error)]);
    }
    expect(message).toContain("sources.erp.timezone: found an object, expected text");
    expect(message).not.toContain("hunter2");
  });

  it("are not shown where a whole source is a text", () => {
    const text = file("x").replace(/erp: \{.*\}/, "erp: 'postgres://sync:hunter2@host'");
    expect(() => load(text)).toThrow("sync.yaml:2:8 sources.erp: found text, expected an object");
  });
});
