import {
  messageOf,
  SyncError,
  type Change,
  type Clock,
  type Cursor,
  type Json,
  type JsonObject,
  type Key,
  type Row,
} from "#model";
import type { MappedField, Stream, SyncFile } from "#mapping";
import type { StoredRecord } from "#sandbox";
import { adapters, type SourceStream } from "#sources";
import { loadPreset, readPresets } from "../../../../src/cli/init/presets.ts";
import type { Service } from "../../../erps/comparison.ts";
import { silentLogger } from "../../../kit/logger.ts";
import { never } from "../../../kit/outcome.ts";

interface Read {
  readonly stream: Stream;
  readonly source: SourceStream;
  cursor: Cursor | null;
}

/**
 * Reads an ERP through a preset and keeps what the service should get, without a service: maps each change, finds by a sweep what is
 * gone and what came without a stamp.
 */
export class Mirror implements Service, AsyncDisposable {
  readonly #file: SyncFile;
  readonly #open: AsyncDisposable[] = [];
  readonly #reads: Read[] = [];
  readonly #records = new Map<string, StoredRecord>();
  /** The records that a record refers to, by its field. */
  readonly #refs = new Map<string, Readonly<Record<string, string | null>>>();
  /** Records that the ERP has, as far as is known: also those that the preset leaves out. */
  readonly #seen = new Set<string>();
  readonly #clock: Clock;
  #ids = 0;

  private constructor(file: SyncFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** `size` makes pages small. */
  static async open(
    name: string,
    environment: Readonly<Record<string, string>>,
    clock: Clock,
    size?: number,
  ): Promise<Mirror> {
    const file = loadPreset(
      readPresets().find((preset) => preset.name === name)!,
      environment,
    );
    if (size !== undefined)
      for (const { read } of file.streams) if (typeof read === "object" && read !== null) Object.assign(read, { size });
    const mirror = new Mirror(file, clock);
    await mirror.#connect(new Map());
    return mirror;
  }

  get streams(): readonly string[] {
    return this.#reads.map(({ stream }) => stream.name);
  }

  /** Opens every source once more, as another process does. Cursors go through JSON, as the store keeps them. */
  async restart(): Promise<void> {
    const cursors = new Map(this.#reads.map(({ stream, cursor }) => [stream.name, JSON.stringify(cursor)]));
    await this[Symbol.asyncDispose]();
    this.#reads.length = 0;
    await this.#connect(cursors);
  }

  /** Polls every stream. `stopAfter` ends each after that many batches, as a kill does. */
  async poll(stopAfter = Number.POSITIVE_INFINITY): Promise<void> {
    for (const read of this.#reads) await this.#pollOne(read, stopAfter);
  }

  /** The code of each stream's error; undefined for a stream that is polled. */
  async codes(): Promise<Record<string, string | undefined>> {
    const codes: Record<string, string | undefined> = {};
    for (const read of this.#reads)
      codes[read.stream.name] = await this.#pollOne(read, Number.POSITIVE_INFINITY).then(
        () => undefined,
        (thrown: unknown) => (thrown instanceof SyncError ? thrown.code : messageOf(thrown)),
      );
    return codes;
  }

  /** The findings of each stream's check that are problems. */
  async problems(): Promise<string[]> {
    const problems: string[] = [];
    for (const { source } of this.#reads)
      for (const { verdict, message } of await source.check(never)) if (verdict === "problem") problems.push(message);
    return problems;
  }

  async sweep(): Promise<void> {
    for (const { stream, source } of this.#reads) {
      const keys = new Set<Key>();
      for await (const some of source.keys(never)) for (const key of some) keys.add(key);
      const prefix = `${stream.name}/`;
      for (const id of [...this.#seen].filter((one) => one.startsWith(prefix))) {
        const key = id.slice(prefix.length);
        if (!keys.delete(key)) await this.#take(stream, { kind: "delete", key });
      }
      for (const key of keys) {
        const row = await source.readOne(key, never);
        if (row !== undefined) await this.#take(stream, { kind: "upsert", key, row });
      }
    }
  }

  records(resource: string): StoredRecord[] {
    const found = [...this.#records].filter(([, record]) => record["→"] === resource);
    return found.map(([id, record]) => ({ ...record, ...this.#referred(id) }));
  }

  /** What a record refers to, as ids. A record that is not there yet is referred to once it is. */
  #referred(id: string): JsonObject {
    const refs = Object.entries(this.#refs.get(id) ?? {});
    return Object.fromEntries(refs.map(([field, other]) => [field, (other && this.#records.get(other)?.id) ?? null]));
  }

  record(resource: string, id: number): StoredRecord | undefined {
    return this.records(resource).find((record) => record.id === id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open.splice(0)) await one[Symbol.asyncDispose]();
  }

  async #connect(cursors: ReadonlyMap<string, string>): Promise<void> {
    for (const { name, adapter, settings } of this.#file.sources) {
      const source = await adapters.get(adapter)!.open(settings, { name, clock: this.#clock, logger: silentLogger });
      this.#open.push(source);
      for (const stream of this.#file.streams.filter((one) => one.source === name)) {
        const cursor: Cursor | null = JSON.parse(cursors.get(stream.name) ?? "null");
        this.#reads.push({ stream, source: source.stream(stream.name, stream.read), cursor });
      }
    }
    const order = this.#file.streams.map(({ name }) => name);
    this.#reads.sort((a, b) => order.indexOf(a.stream.name) - order.indexOf(b.stream.name));
  }

  async #pollOne(read: Read, stopAfter: number): Promise<void> {
    let batches = 0;
    for await (const { changes, unreadable = [], cursor } of read.source.changes(read.cursor, never)) {
      if (unreadable.length > 0) throw new Error(`${read.stream.name}: ${JSON.stringify(unreadable)}`);
      for (const change of changes) await this.#take(read.stream, change);
      read.cursor = cursor;
      if (++batches >= stopAfter) return;
    }
  }

  async #take(stream: Stream, change: Change): Promise<void> {
    const id = `${stream.name}/${change.key}`;
    if (change.kind === "delete") this.#seen.delete(id);
    else this.#seen.add(id);
    const row: Row = change.kind === "upsert" ? change.row : {};
    const mapped = await stream.map(row, change.kind === "delete");
    const known = this.#records.get(id);
    if (mapped.kind === "skip" || (mapped.kind === "deleted" && (known === undefined || mapped.policy !== "set")))
      return;
    const created = known === undefined;
    const fields = mapped.fields.filter(({ own }) => created || own === "always");
    const values = Object.fromEntries(fields.map((field) => [field.name, plainValue(field)]));
    const refs = Object.fromEntries(fields.flatMap(refOf));
    this.#refs.set(id, { ...this.#refs.get(id), ...refs });
    this.#records.set(id, { id: known?.id ?? ++this.#ids, "→": stream.resource, ...known, ...values });
  }
}

function plainValue({ value }: MappedField): Json {
  if (value.kind === "ref") return null;
  return value.kind === "tags" ? [...value.values] : value.value;
}

/** A field that refers to another record, with that record's name; none for any other field. */
function refOf({ name, value }: MappedField): [string, string | null][] {
  return value.kind === "ref" ? [[name, value.key === null ? null : `${value.stream}/${value.key}`]] : [];
}
