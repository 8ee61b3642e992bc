import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { billOfMaterials } from "../../deploy/release/bill.ts";
import { noticesOf, noticesText } from "../../deploy/release/notices.ts";
import { checksumsText, digestsOf, provenanceOf } from "../../deploy/release/provenance.ts";
import { root } from "../architecture/source-files.ts";

const { dependencies } = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

describe("the notices", () => {
  const notices = noticesOf(root);
  const text = noticesText(notices);

  it("name every library that package.json asks for, and none for development alone", () => {
    const names = new Set(notices.map(({ name }) => name));
    expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([]);
    expect(names.has("vitest")).toBe(false);
  });

  it("hold the text of each licence that a package ships", () => {
    const missing = notices.filter(
      ({ name, texts }) => !text.includes(name) || !texts.every((one) => text.includes(one)),
    );
    expect(missing).toEqual([]);
    expect(text).toMatch(/^bullmq \S+ \(MIT\)/m);
    expect(text).toContain("Permission is hereby granted, free of charge");
  });

  it("hold no licence that would bind the owner's own code", () => {
    expect(notices.filter(({ licence }) => /\b(A?GPL|SSPL|BUSL|UNLICENSED|SEE LICENSE)/.test(licence))).toEqual([]);
  });
});

describe("the bill of materials", () => {
  const written = billOfMaterials(root);

  it("keeps the schema of CycloneDX 1.5", async () => {
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(written)).toBeNull();
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate('{"bomFormat":"x"}')).not.toBeNull();
  });

  it("lists every library that package.json asks for, with the checksum of the lock file", () => {
    const { components } = z
      .object({ components: z.array(z.object({ name: z.string(), hashes: z.array(z.unknown()).default([]) })) })
      .parse(JSON.parse(written));
    const sure = new Set(components.filter(({ hashes }) => hashes.length > 0).map(({ name }) => name));
    expect(Object.keys(dependencies).filter((name) => !sure.has(name))).toEqual([]);
    expect(components.map(({ name }) => name)).not.toContain("vitest");
  });
});

describe("checksums and provenance", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "svcsync-digests-"));
    writeFileSync(join(folder, "a.txt"), "abc");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are what sha256sum checks", () => {
    const digests = digestsOf(folder, ["a.txt"]);
    writeFileSync(join(folder, "SHA256SUMS"), checksumsText(digests));
    const check = () => spawnSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: folder, encoding: "utf8" });

    expect(check()).toMatchObject({ status: 0, stdout: "a.txt: OK\n" });
    writeFileSync(join(folder, "a.txt"), "abd");
    expect(check()).toMatchObject({ status: 1, stdout: "a.txt: FAILED\n" });
    writeFileSync(join(folder, "a.txt"), "abc");
  });

  it("name the commit and each file", () => {
    const origin = {
      version: "1.2.3",
      commit: "0123abc",
      repository: "https://git.example.test/svcsync",
      builder: undefined,
      startedAt: new Date(0),
      finishedAt: new Date(1000),
    };
    expect(provenanceOf(digestsOf(folder, ["a.txt"]), origin)).toMatchObject({
      subject: [
        {
          name: "a.txt",
          // SHA-256 of "abc", FIPS 180-4.
          digest: { sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        },
      ],
      predicate: {
        buildDefinition: {
          resolvedDependencies: [{ uri: "git+https://git.example.test/svcsync", digest: { gitCommit: "0123abc" } }],
        },
        runDetails: { metadata: { startedOn: "1970-01-01T00:00:00.000Z", finishedOn: "1970-01-01T00:00:01.000Z" } },
      },
    });
  });
});
