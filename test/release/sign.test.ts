import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { signFile } from "../../deploy/release/sign.ts";

/** A stand-in for cosign, which is not where the tests run: it takes the words that cosign 3 takes, and writes them into the bundle. */
const cosign = `#!/bin/sh
[ "$1 $2 $3 $5 $7" = "sign-blob --yes --key --signing-config --bundle" ] || { echo "unknown flag: $*" >&2; exit 1; }
[ "$COSIGN_PASSWORD" = right ] || { echo "decryption failed with '$COSIGN_PASSWORD'" >&2; exit 1; }
printf '%s\\n' "$4" "$6" "$9" > "$8"
`;

describe("the signature of a release", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svcsync-sign-"));
    file = join(folder, "SHA256SUMS");
    writeFileSync(join(folder, "cosign"), cosign, { mode: 0o755 });
    vi.stubEnv("PATH", folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it("is written beside the file, by the owner's key and without a public log or clock", async () => {
    vi.stubEnv("COSIGN_PASSWORD", "right");
    await signFile(file, "owner.key");
    const [key, config = "", signed] = readFileSync(`${file}.sigstore.json`, "utf8").split("\n");

    expect([key, signed]).toEqual(["owner.key", file]);
    const services = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(config, "utf8")));
    // Named in the file, so that cosign asks no service; a service would be in rekorTlogUrls or tsaUrls.
    expect(services).toEqual({
      mediaType: "application/vnd.dev.sigstore.signingconfig.v0.2+json",
      rekorTlogConfig: {},
      tsaConfig: {},
    });
  });

  it("fails without the password instead of waiting for one", async () => {
    vi.stubEnv("COSIGN_PASSWORD", undefined);
    await expect(signFile(file, "owner.key")).rejects.toThrow("decryption failed with ''");
  });
});
