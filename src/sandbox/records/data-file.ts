import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, type WriteStream } from "node:fs";
import { appendFile, stat, truncate } from "node:fs/promises";
import { createInterface } from "node:readline";
import { StopError } from "#model";
import type { RecordDatabase } from "./database.ts";
import type { Version } from "./version.ts";

type Line = Omit<Version, "sequence" | "previous">;

/**
 * Keeps the write log in a file, one JSON object per line, appended with each write. Opening it restores every record
 * with its history. A line that was incomplete when the process died is dropped. After a power cut, the last moments may
 * be missing: it serves a stand-in, not a store.
 */
export class DataFile implements AsyncDisposable {
  readonly #path: string;
  #stream: WriteStream;

  private constructor(path: string) {
    this.#path = path;
    this.#stream = createWriteStream(path, { flags: "a" });
  }

  /** @throws {StopError} E_SANDBOX_DATA when a line in the middle cannot be read. */
  static async open(path: string, database: RecordDatabase): Promise<DataFile> {
    if (existsSync(path)) await load(path, database);
    const file = new DataFile(path);
    try {
      await once(file.#stream, "open");
    } catch (cause) {
      throw new StopError("E_SANDBOX_DATA", `the data file ${path} cannot be written`, { cause });
    }
    database.onWrite((version) => file.#append(version));
    return file;
  }

  /** Empties the file, for a reset. */
  async clear(): Promise<void> {
    await this.#close();
    await truncate(this.#path, 0);
    this.#stream = createWriteStream(this.#path, { flags: "a" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #append({ sequence: _sequence, previous: _previous, ...line }: Version): void {
    this.#stream.write(`${JSON.stringify(line)}\n`);
  }

  #close(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.once("error", reject);
      this.#stream.end(() => resolve());
    });
  }
}

async function load(path: string, database: RecordDatabase): Promise<void> {
  let number = 0;
  let bytes = 0;
  let torn: unknown;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (torn !== undefined)
      throw new StopError("E_SANDBOX_DATA", `line ${number} of the data file ${path} is not a write`, { cause: torn });
    number += 1;
    try {
      const line: Line = JSON.parse(text);
      database.replay(line);
      bytes += Buffer.byteLength(text) + 1;
    } catch (cause) {
      torn = cause;
    }
  }
  const { size } = await stat(path);
  if (size > bytes) await truncate(path, bytes);
  if (size < bytes) await appendFile(path, "\n");
}
