import { MultiBar, Presets, type SingleBar } from "cli-progress";
import type { RecordId, StreamName } from "#model";
import type { Delivery, Observer, PollFacts } from "#pipeline";
import type { Io } from "../io.ts";

/** Lines without a terminal are no more often than this. */
const LINE_EVERY_MS = 2_000;

export interface StreamTotals {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  deleted: number;
  skipped: number;
}

/** Counts what happens per stream and shows it: a bar on a terminal, else a line now and then. */
export class Progress implements Observer {
  readonly totals = new Map<StreamName, StreamTotals>();
  readonly #io: Io;
  readonly #bars: MultiBar | undefined;
  readonly #bar = new Map<StreamName, SingleBar>();
  readonly #staged = new Map<StreamName, number>();
  #isShown = true;
  #lineAt = 0;

  constructor(streams: readonly StreamName[], io: Io) {
    this.#io = io;
    for (const stream of streams)
      this.totals.set(stream, { read: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, skipped: 0 });
    if (!io.isTerminal) return;
    this.#bars = new MultiBar(
      { format: "  {stream} {bar} {value}/{total}", stream: io.terminal, hideCursor: true, clearOnComplete: false },
      Presets.shades_classic,
    );
    const width = Math.max(...streams.map(({ length }) => length));
    for (const stream of streams) this.#bar.set(stream, this.#bars.create(0, 0, { stream: stream.padEnd(width) }));
  }

  /** Takes the bars down; from here on only the totals go on. */
  finish(): void {
    if (this.#isShown) this.#show(true);
    this.#isShown = false;
    this.#bars?.stop();
  }

  staged(stream: StreamName, { changed }: { changed: number }): void {
    this.#staged.set(stream, (this.#staged.get(stream) ?? 0) + changed);
    this.#show();
  }

  polled(stream: StreamName, { rowsRead }: PollFacts): void {
    this.#of(stream).read += rowsRead;
  }

  delivered({ stream }: RecordId, delivery: Delivery): void {
    if (delivery.kind !== "done") return;
    const totals = this.#of(stream);
    if (delivery.outcome === "adopted") totals.created += 1;
    else totals[delivery.outcome] += 1;
    this.#show();
  }

  #of(stream: StreamName): StreamTotals {
    return this.totals.get(stream)!;
  }

  #show(isLast = false): void {
    if (!this.#isShown) return;
    for (const [stream, bar] of this.#bar) {
      bar.setTotal(this.#staged.get(stream) ?? 0);
      bar.update(this.#done(stream));
    }
    if (this.#bars || (!isLast && Date.now() - this.#lineAt < LINE_EVERY_MS)) return;
    this.#lineAt = Date.now();
    const parts = [...this.totals.keys()].map(
      (stream) => `${stream} ${this.#done(stream)}/${this.#staged.get(stream) ?? 0}`,
    );
    this.#io.stdout.write(`  ${parts.join(", ")}\n`);
  }

  #done(stream: StreamName): number {
    const { created, updated, unchanged, deleted, skipped } = this.#of(stream);
    return created + updated + unchanged + deleted + skipped;
  }
}
