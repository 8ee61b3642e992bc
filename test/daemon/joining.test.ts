import { describe, expect, it } from "vitest";
import { loadSyncFile } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { joiningMember } from "../../src/daemon/cluster/joining.ts";
import { customersStream } from "../setup/customers-stream.ts";

describe("what a replica says of its mapping", () => {
  it("is the same for the same sync file and version", () => {
    expect(mapping("{ const: Active }", "1.0.0")).toBe(mapping("{ const: Active }", "1.0.0"));
  });

  it("differs where the values may: for another sync file, and for another version", () => {
    const said = mapping("{ const: Active }", "1.0.0");

    expect(mapping("{ const: Prospect }", "1.0.0")).not.toBe(said);
    expect(mapping("{ const: Active }", "1.0.1")).not.toBe(said);
  });
});

function mapping(status: string, version: string): string | undefined {
  const text = `sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }\nstreams:\n${customersStream(status)}`;
  const environment = {};
  const syncFile = loadSyncFile(text, { file: "sync.yaml", environment, adapters, resources: new Set(resourceNames) });
  return joiningMember({ store: { schema: "svcsync" } }, { queueUrl: "redis://cache" }, syncFile, version)?.mapping;
}
