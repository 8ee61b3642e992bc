import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Of cosign 3: no log and no clock that are public, since a release is made and verified without the internet. */
const signingConfig = join(import.meta.dirname, "signing-config.json");

/**
 * Signs the file with a private key of cosign, 3 or newer, and writes the bundle beside it. `COSIGN_PASSWORD` is the key's; without one it
 * is taken to be empty, since there may be nobody to ask.
 */
export async function signFile(file: string, key: string): Promise<void> {
  const words = ["sign-blob", "--yes", "--key", key, "--signing-config", signingConfig];
  await run("cosign", [...words, "--bundle", `${file}.sigstore.json`, file], {
    env: { COSIGN_PASSWORD: "", ...process.env },
  });
}
