import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtProgram } from "./built-program.ts";

/** The program in another version, in a folder of its own. */
export interface OtherVersion extends AsyncDisposable {
  /** Its first file. */
  readonly program: string;
}

/** An edit of a built file of the program: what `from` is there once becomes `to`. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export async function otherVersion(version: string, edits: readonly Edit[] = []): Promise<OtherVersion> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-version-"));
  const built = dirname(builtProgram);
  await cp(built, join(folder, "dist"), { recursive: true });
  await symlink(join(built, "../node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ version, type: "module" }));
  for (const { file, from, to } of edits) {
    const path = join(folder, "dist", file);
    const parts = (await readFile(path, "utf8")).split(from);
    if (parts.length !== 2) throw new Error(`${file} holds ${JSON.stringify(from)} ${parts.length - 1} times`);
    await writeFile(path, parts.join(to));
  }
  return {
    program: join(folder, "dist/main.js"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
