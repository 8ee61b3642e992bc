import { matchesGlob } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { catalogueEntry } from "../../deploy/release/release.ts";

it("the entry of SchemaStore finds a sync file by its name of today and by the former one, and no file of another program", () => {
  const { fileMatch } = z.object({ fileMatch: z.array(z.string()) }).parse(catalogueEntry(undefined, "schema.json"));
  // The catalogue matches a name without a folder in every folder.
  const isFound = (path: string) =>
    fileMatch.some((pattern) => matchesGlob(path, pattern.includes("/") ? pattern : `**/${pattern}`));
  expect(["svcsync.yaml", "config/svcsync.yaml", "/etc/svcsync/sync.yaml", "config/sync.yaml"].map(isFound)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
