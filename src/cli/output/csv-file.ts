import { open, type FileHandle } from "node:fs/promises";

/** Characters written at once. */
const CHUNK = 64 * 1024;

/** A text file that is written as its lines arrive, in chunks. */
export class CsvFile implements AsyncDisposable {
  readonly #file: FileHandle;
  #text: string;

  private constructor(file: FileHandle, head: string) {
    this.#file = file;
    this.#text = head;
  }

  /** Overwrites an existing file. Rejects with the file system's error. */
  static async create(path: string, head: string): Promise<CsvFile> {
    return new CsvFile(await open(path, "w"), head);
  }

  async write(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= CHUNK) await this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    await this.#file.appendFile(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await this.#file.close();
    }
  }
}
