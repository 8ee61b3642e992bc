import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtProgram } from "./built-program.ts";

/** The program in another version, in a folder of its own. */
export interface OtherVersion extends AsyncDisposable {
  /** Its first file. */
  readonly program: string;
}

/** An edit of the built program: what is `from` in it once becomes `to`. */
export interface Edit {
  readonly from: string;
  readonly to: string;
}

export async function otherVersion(version: string, edits: readonly Edit[] = []): Promise<OtherVersion> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-version-"));
  const built = dirname(builtProgram);
  await cp(built, join(folder, "dist"), { recursive: true });
  await symlink(join(built, "../node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ version, type: "module" }));
  for (const edit of edits) await carryOut(edit, join(folder, "dist/lib"));
  return {
    program: join(folder, "dist/main.js"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function carryOut({ from, to }: Edit, folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const),
  );
  const holding = texts.flatMap(([name, text]) =>
    text
      .split(from)
      .slice(1)
      .map(() => [name, text] as const),
  );
  const [found] = holding;
  if (found === undefined || holding.length > 1)
    throw new Error(`the built program holds ${JSON.stringify(from)} ${holding.length} times`);
  await writeFile(
    join(folder, found[0]),
    found[1].replace(from, () => to),
  );
}
