import { lstat, open, rm, type FileHandle } from "node:fs/promises";
import { codeOf } from "#model";
import { UsageError } from "./io.ts";

/** Characters written at once. */
const CHUNK = 64 * 1024;

/** A text file that is written as its lines arrive, in chunks. */
export class CsvFile {
  readonly #file: FileHandle;
  #text = "";

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Writes a new file that only its owner can read, since it holds records. It never overwrites a file and never follows a link. A file
   * that `fill` could not finish is removed.
   * @throws {UsageError} when the file exists or cannot be written.
   */
  static async write<Result>(path: string, fill: (csv: CsvFile) => Promise<Result>): Promise<Result> {
    // Exclusive: fails where the name exists, also as a link that leads nowhere.
    const file = await open(path, "wx", 0o600).catch((thrown: unknown) => refused(path, thrown));
    const csv = new CsvFile(file);
    try {
      const result = await fill(csv);
      await csv.#flush();
      return result;
    } catch (thrown) {
      await rm(path, { force: true });
      throw thrown;
    } finally {
      await file.close();
    }
  }

  async add(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= CHUNK) await this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    await this.#file.appendFile(text);
  }
}

/**
 * Refuses a taken name before a long computation.
 * @throws {UsageError}
 */
export async function expectFree(path: string): Promise<void> {
  const found = await lstat(path).catch((thrown: unknown) =>
    codeOf(thrown) === "ENOENT" ? undefined : refused(path, thrown),
  );
  if (found !== undefined) throw taken(path);
}

function refused(path: string, thrown: unknown): never {
  const code = codeOf(thrown);
  if (code === undefined) throw thrown;
  throw code === "EEXIST"
    ? taken(path)
    : new UsageError(`--csv: ${path} cannot be written (${code}). Nothing was written.`);
}

function taken(path: string): UsageError {
  return new UsageError(
    `--csv: ${path} already exists, and may be the work of a person. Choose another name. Nothing was written.`,
  );
}
