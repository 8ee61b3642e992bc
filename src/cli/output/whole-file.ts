import { randomBytes } from "node:crypto";
import { codeOf } from "#model";
import { readFile, rename, rm, writeFile } from "node:fs/promises";

/** The file's text; undefined if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Writes the file atomically, with `mode` from its first byte on. */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  // A name that no file of a person has.
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.new`;
  try {
    await writeFile(unfinished, text, { mode, flag: "wx" });
    await rename(unfinished, path);
  } catch (thrown) {
    await rm(unfinished, { force: true });
    throw thrown;
  }
}
