import {
  ParkError,
  RetryError,
  type Change,
  type ChangeBatch,
  type Clock,
  type Cursor,
  type Key,
  type Row,
  type UnreadableRow,
} from "#model";
import type { Logger } from "#telemetry";
import { claimedName, doneName, parseClaimed, stampAfter, type ClaimedFile } from "./done-name.ts";
import { FileFault } from "./file-fault.ts";
import { fileLog, unread } from "./file-log.ts";
import { filesCursorJson, parseFilesCursor, remember, type FilesCursor } from "./files-cursor.ts";
import type { Folder } from "./folder.ts";
import { arrivals, waiting } from "./inbox.ts";
import { inspect, type Inspected } from "./inspect.ts";
import { parsed } from "./parse.ts";
import { convert } from "./row.ts";
import type { FilesRead, FilesSettings } from "./schema.ts";

/** What the rows of a batch may hold, whatever their number. */
const BATCH_CHARACTERS = 8_000_000;

interface Piece {
  readonly changes: readonly Change[];
  readonly unreadable: readonly UnreadableRow[];
  /** How many of the file's rows are read with it. */
  readonly rows: number;
}

/** The files of one stream: each is claimed, inspected whole, read, and put away only when its last row is stored. */
export class FilesStream {
  readonly #folder: Folder;
  readonly #settings: FilesSettings;
  readonly #read: FilesRead;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(folder: Folder, settings: FilesSettings, read: FilesRead, clock: Clock, logger: Logger) {
    this.#folder = folder;
    this.#settings = settings;
    this.#read = read;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Reads what was claimed after `cursor`, whether a poll left it in the processing folder or it was put away already, then
   * claims what arrived. A file is put away when more is asked for after its last batch; should that batch not have been
   * stored, the cursor still points before the file, and it is read again from where it is.
   */
  async *changes(cursor: Cursor | null, signal: AbortSignal): AsyncGenerator<ChangeBatch> {
    let state = parseFilesCursor(cursor);
    const { ready, seen } = await arrivals(this.#folder, this.#read, state.seen, this.#clock);
    state = { ...state, seen };
    const log = await this.#log();
    const stored = log.filter(({ place, stamp }) => place === "processing" && stamp <= (state.last ?? ""));
    for (const file of stored) await this.#finish(file, signal);
    for (const file of unread(log, this.#read, state.last)) state = yield* this.#file(file, state, signal);
    let last = log.at(-1)?.stamp;
    for (const name of ready) {
      signal.throwIfAborted();
      last = stampAfter(last, this.#clock.now());
      state = yield* this.#file(await this.#claim(name, last), state, signal);
    }
    yield { changes: [], cursor: filesCursorJson(state) };
  }

  async #claim(name: string, stamp: string): Promise<ClaimedFile> {
    const { processing, done } = this.#settings;
    const stored = claimedName(stamp, name);
    await this.#folder.move(name, `${processing}/${stored}`);
    if (this.#read.ready === "companion") {
      const companion = name + this.#read.companion;
      await this.#folder.move(companion, `${done}/${claimedName(stamp, companion)}`);
    }
    return parseClaimed(stored)!;
  }

  async *#file(file: ClaimedFile, before: FilesCursor, signal: AbortSignal): AsyncGenerator<ChangeBatch, FilesCursor> {
    const { name, stamp } = file;
    const { seen, applied, current } = before;
    const inspected = await this.#inspect(file, signal);
    if (inspected === undefined) return { seen, applied, last: stamp };
    const { sha256, rows, bad } = inspected;
    const after = { seen, applied: remember(applied, name, sha256), last: stamp };
    if (applied.some((one) => one.name === name && one.sha256 === sha256))
      this.#logger.info({ file: name }, "file with known content skipped");
    else {
      const resumed = current?.stamp === stamp ? current.rows : 0;
      for await (const batch of this.#batches(file, resumed, signal)) {
        const open = { seen, applied, last: before.last, current: { stamp, rows: batch.rows } };
        yield { changes: batch.changes, unreadable: batch.unreadable, cursor: filesCursorJson(open) };
      }
      yield { changes: [], cursor: filesCursorJson(after) };
      this.#logger.info({ file: name, count: rows, refused: bad.length }, "file read");
    }
    if (file.place === "processing") await this.#putAway(file, inspected);
    return after;
  }

  /** Puts away a file whose rows are stored, though the poll that read it ended before it could. */
  async #finish(file: ClaimedFile, signal: AbortSignal): Promise<void> {
    const inspected = await this.#inspect(file, signal);
    if (inspected !== undefined) await this.#putAway(file, inspected);
  }

  /** A file that cannot be used goes to the failed folder with a report; one that was put away before stays there. */
  async #inspect(file: ClaimedFile, signal: AbortSignal): Promise<Inspected | undefined> {
    try {
      return await inspect(this.#folder, this.#path(file), this.#read, this.#settings.timezone, signal);
    } catch (thrown) {
      if (!(thrown instanceof FileFault)) throw thrown;
      await this.#refuse(file, thrown);
      return undefined;
    }
  }

  /** A batch ends after so many rows, or so many characters, whichever comes first. */
  async *#batches(file: ClaimedFile, skip: number, signal: AbortSignal): AsyncGenerator<Piece> {
    let changes: Change[] = [];
    let unreadable: UnreadableRow[] = [];
    let size = 0;
    let rows = 0;
    for await (const one of this.#rows(file)) {
      signal.throwIfAborted();
      if (++rows <= skip) continue;
      if ("reason" in one) unreadable.push(one);
      else {
        changes.push({ kind: "upsert", ...one });
        size += JSON.stringify(one.row).length;
      }
      if (changes.length + unreadable.length < this.#read.size && size < BATCH_CHARACTERS) continue;
      yield { changes, unreadable, rows };
      [changes, unreadable, size] = [[], [], 0];
    }
    if (changes.length + unreadable.length > 0) yield { changes, unreadable, rows };
  }

  /** The rows of a file that have a key. */
  async *#rows(file: ClaimedFile): AsyncGenerator<{ key: Key; row: Row } | UnreadableRow> {
    for await (const one of parsed(await this.#folder.open(this.#path(file)), this.#read)) {
      if (!("record" in one)) continue;
      const converted = convert(one.record, this.#read, this.#settings.timezone);
      if ("row" in converted) yield converted;
      else if (converted.key !== undefined)
        yield { key: converted.key, place: `${file.name}:${one.line}`, reason: converted.reason };
    }
  }

  async #putAway(file: ClaimedFile, { rows, bad }: Inspected): Promise<void> {
    const { done, failed } = this.#settings;
    const { name, stored } = file;
    if (bad.length > 0) {
      const report = `${failed}/${stored}.lines.ndjson`;
      const lines = bad.map((one) =>
        JSON.stringify({ code: "E_SOURCE_FILE_LINE", place: `${name}:${one.line}`, ...one }),
      );
      await this.#folder.write(report, `${lines.join("\n")}\n`);
      const place = `${name}:${bad[0]!.line}`;
      this.#logger.error({ file: name, count: bad.length, place, report }, "lines of a file refused");
    }
    const before = (await this.#log()).findLast((one) => one.place === "done" && !one.partial);
    const shrunk = before !== undefined && rows < before.rows * (1 - this.#read.shrink / 100);
    const partial = this.#read.kind === "full" && (shrunk || bad.length > 0);
    if (partial && shrunk) this.#logger.warn({ file: name, count: rows, before: before.rows }, "full file shrank");
    await this.#folder.move(this.#path(file), `${done}/${doneName(file, rows, partial)}`);
  }

  async #refuse(file: ClaimedFile, fault: FileFault): Promise<void> {
    const target = `${this.#settings.failed}/${file.stored}`;
    const place = fault.line === undefined ? file.name : `${file.name}:${fault.line}`;
    await this.#folder.write(`${target}.error.txt`, `E_SOURCE_FILE ${place}: ${fault.message}\n`);
    await this.#folder.move(this.#path(file), target);
    this.#logger.error({ file: file.name, place, reason: fault.message, code: "E_SOURCE_FILE" }, "file refused");
  }

  #log(): Promise<ClaimedFile[]> {
    return fileLog(this.#folder, this.#read, this.#settings);
  }

  /** @throws {ParkError} E_SOURCE_KEYS_UNKNOWN, E_SOURCE_FILE_SHRUNK · {RetryError} E_SOURCE_FILE_BUSY */
  async *keys(signal: AbortSignal): AsyncGenerator<Key[]> {
    const { kind, files, size } = this.#read;
    if (kind === "delta")
      throw new ParkError("E_SOURCE_KEYS_UNKNOWN", `delta files ${files} do not tell which records exist`);
    const log = await this.#log();
    const [arrived] = waiting(await this.#folder.list(""), this.#read);
    const unfinished = arrived ?? log.find(({ place }) => place === "processing");
    if (unfinished !== undefined)
      throw new RetryError(
        "E_SOURCE_FILE_BUSY",
        `${unfinished.name} was not read to its end yet; the keys before it are old`,
      );
    const last = log.at(-1);
    if (last === undefined) throw new ParkError("E_SOURCE_KEYS_UNKNOWN", `no full file ${files} was read yet`);
    if (last.partial)
      throw new ParkError(
        "E_SOURCE_FILE_SHRUNK",
        `${last.stored} is incomplete or much shorter than the file before it`,
      );
    const seen = new Set<Key>();
    let keys: Key[] = [];
    for await (const { key } of this.#rows(last)) {
      signal.throwIfAborted();
      if (seen.has(key)) continue;
      seen.add(key);
      keys.push(key);
      if (keys.length < size) continue;
      yield keys;
      keys = [];
    }
    if (keys.length > 0) yield keys;
  }

  /** The last version of a record: in the latest complete full file, or in any file after it. */
  async readOne(key: Key, signal: AbortSignal): Promise<Row | undefined> {
    signal.throwIfAborted();
    for (const file of (await this.#log()).toReversed()) {
      let found: Row | undefined;
      for await (const one of this.#rows(file)) {
        signal.throwIfAborted();
        if (one.key !== key) continue;
        if ("reason" in one) throw new ParkError("E_ROW_UNREADABLE", `${one.place}: ${one.reason}`);
        found = one.row;
      }
      if (found !== undefined || (this.#read.kind === "full" && file.place === "done" && !file.partial)) return found;
    }
    return undefined;
  }

  #path({ place, stored }: ClaimedFile): string {
    return `${this.#settings[place]}/${stored}`;
  }
}
