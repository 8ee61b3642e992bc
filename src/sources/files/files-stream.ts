import {
  canonicalJson,
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
import type { KeylessRows } from "../source.ts";
import { claimedName, doneName, parseClaimed, stampAfter, type ClaimedFile, type Gaps } from "./folder/done-name.ts";
import { keylessRows, lastRefusal, putIntoFailed, readReport, refusal, reportLines } from "./folder/failed-files.ts";
import { FileFault } from "./file-fault.ts";
import { fileLog, lastCounted, unread } from "./folder/file-log.ts";
import { filesCursorJson, parseFilesCursor, remember, type FilesCursor } from "./files-cursor.ts";
import type { Folder } from "./folder/folder.ts";
import { arrivals, waiting } from "./folder/inbox.ts";
import { inspect, type Inspected } from "./read/inspect.ts";
import type { RepeatedKeys } from "./read/repeated-keys.ts";
import { keyedRows } from "./read/row.ts";
import type { FilesRead, FilesSettings } from "./schema.ts";

/** The most characters in the rows of a batch, whatever their number. */
const BATCH_CHARACTERS = 8_000_000;

interface Piece {
  readonly changes: readonly Change[];
  readonly unreadable: readonly UnreadableRow[];
  /** How many of the file's rows are read up to the end of this batch. */
  readonly rows: number;
}

/** The files of one stream. Each file is claimed, inspected whole, read, and put away only once its last row is stored. */
export class FilesStream {
  readonly #folder: Folder;
  readonly #settings: FilesSettings;
  readonly #read: FilesRead;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** The keyless rows of the last full file. Kept because each poll asks for them, and finding them requires reading the file. */
  #keyless: { readonly stored: string; readonly rows: readonly KeylessRows[] } | undefined;

  constructor(folder: Folder, settings: FilesSettings, read: FilesRead, clock: Clock, logger: Logger) {
    this.#folder = folder;
    this.#settings = settings;
    this.#read = read;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Reads the files that were claimed after `cursor`, whether they are still in the processing folder or already put away, then
   * claims and reads those that arrived. A file is put away when the caller asks for more after its last batch. If that batch was
   * not stored, the cursor still points before the file, and the file is read again from where it is.
   */
  async *changes(cursor: Cursor | null, signal: AbortSignal): AsyncGenerator<ChangeBatch> {
    let state = parseFilesCursor(cursor);
    const { ready, seen } = await arrivals(this.#folder, this.#read, state.seen, this.#clock);
    state = { ...state, seen };
    const log = await this.#log();
    const stored = log.filter(({ place, stamp }) => place === "processing" && stamp <= (state.last ?? ""));
    await this.#putCompanionsAway(log);
    for (const file of stored) yield* this.#finish(file, state, signal);
    for (const file of unread(log, this.#read, state.last)) state = yield* this.#file(file, state, signal);
    // After the cursor in any case: files may have been pruned and the clock set back, and files up to the cursor count as stored.
    let last = [log.at(-1)?.stamp ?? "", state.last ?? ""].toSorted().at(-1);
    for (const name of ready) {
      signal.throwIfAborted();
      last = stampAfter(last, this.#clock.now());
      state = yield* this.#file(await this.#claim(name, last), state, signal);
    }
    yield { changes: [], cursor: filesCursorJson(state) };
  }

  async #claim(name: string, stamp: string): Promise<ClaimedFile> {
    const { processing } = this.#settings;
    const stored = claimedName(stamp, name);
    await this.#folder.move(name, `${processing}/${stored}`);
    if (this.#read.ready === "companion") await this.#putCompanionAway({ name, stamp });
    return parseClaimed(stored)!;
  }

  async #putCompanionAway({ name, stamp }: Pick<ClaimedFile, "name" | "stamp">): Promise<void> {
    const companion = name + this.#read.companion;
    await this.#folder.move(companion, `${this.#settings.done}/${claimedName(stamp, companion)}`);
  }

  /**
   * Puts away companions that a poll left behind when it died after a claim. Else the next file of that name would count as
   * complete at once.
   */
  async #putCompanionsAway(log: readonly ClaimedFile[]): Promise<void> {
    const claimed = log.filter(({ place }) => place === "processing");
    if (this.#read.ready !== "companion" || claimed.length === 0) return;
    const here = new Set((await this.#folder.list("")).map(({ name }) => name));
    for (const file of claimed)
      if (here.has(file.name + this.#read.companion) && !here.has(file.name)) await this.#putCompanionAway(file);
  }

  async *#file(file: ClaimedFile, before: FilesCursor, signal: AbortSignal): AsyncGenerator<ChangeBatch, FilesCursor> {
    const { name, stamp } = file;
    const { seen, applied, current } = before;
    const inspected = yield* this.#inspect(file, before, signal);
    // The file before the refused one may be delivered again: its content is then no longer what was read last under this name.
    if (inspected === undefined) return { seen, applied: applied.filter((one) => one.name !== name), last: stamp };
    const { sha256, rows, badCount } = inspected;
    const gaps = await this.#gapsOf(file, inspected);
    const after = { seen, applied: remember(applied, name, sha256), last: stamp };
    // A full file shows the state of all records now, even if it returns to the content of an earlier file of its name.
    const known = this.#read.kind === "full" ? applied.slice(-1) : applied;
    if (known.some((one) => one.name === name && one.sha256 === sha256))
      this.#logger.info({ file: name }, "file with known content skipped");
    else {
      const resumed = current?.stamp === stamp ? current.rows : 0;
      for await (const batch of this.#batches(file, { skip: resumed, repeated: inspected.repeated }, signal)) {
        const open = { seen, applied, last: before.last, current: { stamp, rows: batch.rows } };
        yield { changes: batch.changes, unreadable: batch.unreadable, cursor: filesCursorJson(open) };
      }
      yield { changes: [], files: readReport(file, inspected, gaps), cursor: filesCursorJson(after) };
      this.#logger.info({ file: name, count: rows, refused: badCount }, "file read");
    }
    if (file.place === "processing") await this.#putAway(file, inspected, gaps);
    return after;
  }

  /** Puts away a file whose rows are stored, but whose poll ended before it could do so. */
  async *#finish(file: ClaimedFile, state: FilesCursor, signal: AbortSignal): AsyncGenerator<ChangeBatch> {
    const inspected = yield* this.#inspect(file, state, signal);
    if (inspected !== undefined) await this.#putAway(file, inspected, await this.#gapsOf(file, inspected));
  }

  /** Inspects a file. Reports one that cannot be used, moves it to the failed folder, and returns undefined. */
  async *#inspect(
    file: ClaimedFile,
    state: FilesCursor,
    signal: AbortSignal,
  ): AsyncGenerator<ChangeBatch, Inspected | undefined> {
    let fault: FileFault;
    try {
      return await inspect(this.#folder, this.#path(file), this.#read, this.#settings.timezone, signal);
    } catch (thrown) {
      if (!(thrown instanceof FileFault)) throw thrown;
      fault = thrown;
    }
    const report = refusal(file, fault);
    const cursor = filesCursorJson(state);
    // The caller stores a batch when it has received the next one. The file moves only once its report is stored.
    yield { changes: [], files: [report], cursor };
    yield { changes: [], cursor };
    await putIntoFailed(this.#folder, this.#settings, { path: this.#path(file), file, report });
    this.#logger.error({ file: file.name, ...report.fault }, "file refused");
    return undefined;
  }

  /** Yields the file's rows in batches. A batch ends after `size` rows or `BATCH_CHARACTERS`, whichever comes first. */
  async *#batches(
    file: ClaimedFile,
    { skip, repeated }: { readonly skip: number; readonly repeated: RepeatedKeys },
    signal: AbortSignal,
  ): AsyncGenerator<Piece> {
    let changes: Change[] = [];
    let unreadable: UnreadableRow[] = [];
    let size = 0;
    let rows = 0;
    for await (const one of this.#rows(file, repeated)) {
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

  #rows(file: ClaimedFile, repeated?: RepeatedKeys) {
    const place = { path: this.#path(file), name: file.name };
    return keyedRows(this.#folder, place, this.#read, this.#settings.timezone, repeated);
  }

  async #putAway(file: ClaimedFile, inspected: Inspected, gaps: Gaps | undefined): Promise<void> {
    const { rows, bad, badCount } = inspected;
    const { name } = file;
    if (bad.length > 0) {
      const report = await reportLines(this.#folder, this.#settings, file, bad);
      const place = `${name}:${bad[0]!.line}`;
      this.#logger.error({ file: name, count: badCount, place, report }, "lines of a file refused");
    }
    if (gaps === "partial") this.#logger.warn({ file: name, count: rows + badCount }, "full file shrank");
    const target = `${this.#settings.done}/${doneName(file, rows + badCount, gaps)}`;
    await this.#folder.move(this.#path(file), target);
  }

  /** Why a record's absence from the full file proves nothing. */
  async #gapsOf(file: ClaimedFile, { rows, badCount, keyless }: Inspected): Promise<Gaps | undefined> {
    if (this.#read.kind === "delta") return undefined;
    if (file.place === "done") return file.gaps;
    const before = lastCounted(await this.#log());
    if (before !== undefined && rows + badCount < before.rows * (1 - this.#read.shrink / 100)) return "partial";
    return keyless ? "keyless" : undefined;
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
    if (arrived !== undefined) throw new RetryError("E_SOURCE_FILE_BUSY", this.#whyWaiting(arrived.name));
    const unfinished = log.find(({ place }) => place === "processing");
    if (unfinished !== undefined)
      throw new RetryError(
        "E_SOURCE_FILE_BUSY",
        `${unfinished.name} was not read to its end yet; the keys before it are old`,
      );
    const last = log.at(-1);
    if (last === undefined) throw new ParkError("E_SOURCE_KEYS_UNKNOWN", await this.#whyNone());
    if (last.gaps === "partial") {
      const before = lastCounted(log);
      const than = before === undefined ? "the file before it" : `the ${before.rows} of the file before it`;
      throw new ParkError("E_SOURCE_FILE_SHRUNK", `${last.stored} holds ${last.rows} records, much fewer than ${than}`);
    }
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

  async #whyNone(): Promise<string> {
    const refused = await lastRefusal(this.#folder, this.#settings, this.#read);
    const none = `no full file ${this.#read.files} was read yet`;
    return refused === undefined ? none : `${none}; the last one was refused: ${refused}`;
  }

  #whyWaiting(name: string): string {
    const { ready, companion, stableFor } = this.#read;
    const until = {
      atOnce: "the next poll reads it",
      companion: `it is read once ${name}${companion} is beside it`,
      stable: `it is read by the first poll that finds it unchanged for ${stableFor / 1000} s`,
    };
    return `${name} waits to be read: ${until[ready]} (ready: ${ready})`;
  }

  /** Returns the lines of the last full file whose key cannot be read. Any record may be in one of them. */
  async keyless(signal: AbortSignal): Promise<readonly KeylessRows[]> {
    const last = (await this.#log()).findLast(({ place }) => place === "done");
    if (last?.gaps !== "keyless") return [];
    if (this.#keyless?.stored !== last.stored) {
      const { keyless } = await inspect(this.#folder, this.#path(last), this.#read, this.#settings.timezone, signal);
      this.#keyless = { stored: last.stored, rows: keyless === undefined ? [] : [keylessRows(last, keyless)] };
    }
    return this.#keyless.rows;
  }

  /** Returns the last version of a record: from the latest complete full file, or from any file after it. */
  async readOne(key: Key, signal: AbortSignal): Promise<Row | undefined> {
    signal.throwIfAborted();
    for (const file of (await this.#log()).toReversed()) {
      let found: Row | undefined;
      for await (const one of this.#rows(file)) {
        signal.throwIfAborted();
        if (one.key !== key) continue;
        if ("reason" in one) throw new ParkError("E_ROW_UNREADABLE", `${one.place}: ${one.reason}`);
        if (found !== undefined && this.#read.repeated === "park" && canonicalJson(found) !== canonicalJson(one.row))
          throw new ParkError("E_ROW_UNREADABLE", `${file.name}: several rows of the file have this key and differ`);
        found = one.row;
      }
      if (found !== undefined || (this.#read.kind === "full" && file.place === "done" && file.gaps === undefined))
        return found;
    }
    return undefined;
  }

  #path({ place, stored }: ClaimedFile): string {
    return `${this.#settings[place]}/${stored}`;
  }
}
