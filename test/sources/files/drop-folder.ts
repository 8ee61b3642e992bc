import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SourceStream } from "#sources";
import { filesRead, filesSettings } from "../../../src/sources/files/schema.ts";
import { openFiles } from "../../../src/sources/files/source.ts";
import { openContext } from "../reading.ts";
import type { SetClock } from "../../kit/clock.ts";

/** A folder of a test's own that an ERP drops files into. */
export class DropFolder implements AsyncDisposable {
  readonly path: string;
  readonly #clock: SetClock;

  private constructor(path: string, clock: SetClock) {
    this.path = path;
    this.#clock = clock;
  }

  static async make(clock: SetClock): Promise<DropFolder> {
    return new DropFolder(await mkdtemp(join(tmpdir(), "svcsync-drop-")), clock);
  }

  async stream(read: object, settings: object = {}): Promise<SourceStream> {
    const parsed = filesSettings.parse({ folder: this.path, timezone: "Europe/Berlin", ...settings });
    const source = await openFiles(parsed, openContext(this.#clock));
    const usual = { files: "customers*.csv", kind: "delta", format: "csv", key: "no", ready: "atOnce" };
    return source.stream("customers", filesRead.parse({ ...usual, ...read }));
  }

  drop(name: string, content: string | Buffer): Promise<void> {
    return writeFile(join(this.path, name), content);
  }

  async names(below: string): Promise<string[]> {
    const entries = await readdir(join(this.path, below), { withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted();
  }

  async text(below: string, ending: string): Promise<string> {
    const name = (await this.names(below)).find((one) => one.endsWith(ending));
    return name === undefined ? "" : readFile(join(this.path, below, name), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
