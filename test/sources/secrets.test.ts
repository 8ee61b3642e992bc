import { describe, expect, it } from "vitest";
import { z } from "zod";
import { adapters } from "#sources";
import { secretsIn } from "../../src/mapping/check/secrets.ts";

function secretsOf({ adapter, ...settings }: { adapter: string }): string[] {
  const schema = adapters.get(adapter)!.settings;
  return secretsIn(schema, schema.parse(settings));
}

const web = { adapter: "rest", url: "https://erp.example" };

describe("the secrets of sources", () => {
  it.each([
    [{ adapter: "sql", url: "postgres://sync:hun%40ter@host/db" }, ["hun%40ter", "hun@ter"]],
    [{ adapter: "sql", url: "sqlite:/var/lib/erp.db" }, []],
    [{ ...web, auth: { kind: "basic", username: "sync", password: "pw" } }, ["pw"]],
    [{ ...web, auth: { kind: "bearer", token: "tok" } }, ["tok"]],
    [{ ...web, auth: { kind: "header", name: "X-Key", value: "token a:b" } }, ["token a:b"]],
    [{ ...web, auth: { kind: "oauth", tokenUrl: "https://a/t", clientId: "id", clientSecret: "cs" } }, ["cs"]],
    [{ ...web, auth: { kind: "login", url: "/login", body: { user: "sync", pwd: "hunter22" } } }, ["hunter22"]],
    [{ ...web, headers: { "X-Api-Key": "0123456789", "Accept-Language": "de" } }, ["0123456789"]],
    [{ ...web, proxy: "http://u:pr0xy@proxy:3128" }, ["pr0xy"]],
    [{ adapter: "odoo", url: "https://o.example", database: "db", key: "api" }, ["api"]],
    [
      {
        adapter: "files",
        folder: "/drop",
        sftp: { host: "h", username: "u", password: "p", hostKey: "A".repeat(43) },
      },
      ["p"],
    ],
  ])("come from the parsed settings, whatever their variables are called: %j", (source, secrets) => {
    expect(secretsOf(source)).toEqual(secrets);
  });

  it("are marked wherever a setting's name says that it is one", () => {
    const unmarked = [...adapters.values()].flatMap(({ name, settings }) =>
      suspicious(z.toJSONSchema(settings, { io: "input", unrepresentable: "any" })).map(
        (member) => `${name}: ${member}`,
      ),
    );
    expect(unmarked).toEqual([]);
  });
});

/** Members whose names sound secret and that are not marked; of a key, its fingerprint and its file are none. */
function suspicious(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, member]: [string, unknown]) => {
    const isMarked = typeof member === "object" && member !== null && "writeOnly" in member;
    const sounds = /password|secret|token|private_?key|^key$/i.test(name) && !/(_?url|_?file)$/i.test(name);
    return [...(sounds && !isMarked && typeof member === "object" ? [name] : []), ...suspicious(member)];
  });
}
