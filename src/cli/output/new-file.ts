import { lstat, open, rm, type FileHandle } from "node:fs/promises";
import { codeOf } from "#model";
import { UsageError } from "./io.ts";

/** Characters written at once. */
const CHUNK = 64 * 1024;

/** A text file that is written as its lines arrive, in chunks. */
export class NewFile {
  readonly #file: FileHandle;
  #text = "";

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Writes a new file that only its owner can read, since it holds records. It never overwrites a file and never follows a link. A file
   * that `fill` could not finish is removed.
   * @param option that names the file, for messages.
   * @throws {UsageError} when the file exists or cannot be written.
   */
  static async write<Result>(option: string, path: string, fill: (file: NewFile) => Promise<Result>): Promise<Result> {
    // Exclusive: fails where the name exists, also as a link that leads nowhere.
    const file = await open(path, "wx", 0o600).catch((thrown: unknown) => refused(option, path, thrown));
    const made = new NewFile(file);
    try {
      const result = await fill(made);
      await made.#flush();
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
export async function expectNewFile(option: string, path: string): Promise<void> {
  const found = await lstat(path).catch((thrown: unknown) =>
    codeOf(thrown) === "ENOENT" ? undefined : refused(option, path, thrown),
  );
  if (found !== undefined) throw taken(option, path);
}

function refused(option: string, path: string, thrown: unknown): never {
  const code = codeOf(thrown);
  if (code === undefined) throw thrown;
  throw code === "EEXIST"
    ? taken(option, path)
    : new UsageError(`${option}: ${path} cannot be written (${code}). Nothing was written.`);
}

function taken(option: string, path: string): UsageError {
  return new UsageError(
    `${option}: ${path} already exists, and may be the work of a person. Choose another name. Nothing was written.`,
  );
}
