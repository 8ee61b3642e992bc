import { MultiBar, Presets, type SingleBar } from "cli-progress";
import { recordName, type RecordId, type StreamName } from "#model";
import type { Delivery, Observer } from "#pipeline";
import type { IntakeStore } from "#store";
import type { Io } from "./io.ts";

export interface ProgressOptions {
  /** Bars redraw themselves, so nothing else may be written meanwhile. Otherwise, a line is printed at intervals. */
  readonly bars: boolean;
  readonly lineEveryMs?: number;
}

const LINE_EVERY_MS = 2_000;
const BAR_WIDTH = 30;

/**
 * Shows the progress of a load: how many of the changes read were delivered once, whatever the outcome. Shows nothing
 * before `start`. Keeps only the records that were not done yet, because a daemon delivers millions.
 */
export class Progress implements Observer {
  readonly #streams: readonly StreamName[];
  readonly #io: Io;
  readonly #options: ProgressOptions;
  readonly #read = new Map<StreamName, number>();
  readonly #delivered = new Map<StreamName, number>();
  /** Records that were delivered and count already, but are not done. */
  readonly #unfinished = new Set<string>();
  readonly #bar = new Map<StreamName, SingleBar>();
  /** Streams that were read to their end. */
  readonly #complete = new Set<StreamName>();
  #bars: MultiBar | undefined;
  #isShown = false;
  #lineAt = 0;

  constructor(streams: readonly StreamName[], io: Io, options: ProgressOptions) {
    this.#streams = streams;
    this.#io = io;
    this.#options = options;
  }

  start(): void {
    this.#isShown = true;
    if (!this.#options.bars) return;
    const width = Math.max(...this.#streams.map(({ length }) => length));
    const format = "  {stream} {bar} {percentage} % {value}/{total}";
    const look = { format, stream: this.#io.terminal, hideCursor: true, clearOnComplete: false, barsize: BAR_WIDTH };
    this.#bars = new MultiBar(look, Presets.shades_classic);
    for (const stream of this.#streams)
      this.#bar.set(stream, this.#bars.create(0, 0, { stream: stream.padEnd(width) }));
    this.#show();
  }

  /** Removes the bars. */
  finish(): void {
    if (this.#isShown) this.#show(true);
    this.#isShown = false;
    this.#bars?.stop();
  }

  staged(stream: StreamName, { changed }: { changed: number }): void {
    this.#read.set(stream, (this.#read.get(stream) ?? 0) + changed);
    this.#show();
  }

  polled(stream: StreamName): void {
    this.#complete.add(stream);
    this.#show();
  }

  /** A record that waits and is delivered later counts once. */
  delivered(id: RecordId, { kind }: Delivery): void {
    const name = recordName(id);
    const isCounted = this.#unfinished.has(name);
    if (kind === "done") this.#unfinished.delete(name);
    else this.#unfinished.add(name);
    if (!isCounted) this.#delivered.set(id.stream, (this.#delivered.get(id.stream) ?? 0) + 1);
    this.#show();
  }

  #show(isLast = false): void {
    if (!this.#isShown) return;
    for (const [stream, bar] of this.#bar) {
      const { done, total } = this.#of(stream);
      bar.setTotal(total);
      bar.update(done);
    }
    const everyMs = this.#options.lineEveryMs ?? LINE_EVERY_MS;
    if (this.#bars) return;
    const isOver = this.#streams.every((stream) => this.#complete.has(stream) && this.#of(stream).left === 0);
    if (!isLast && !isOver && Date.now() - this.#lineAt < everyMs) return;
    this.#lineAt = Date.now();
    // Live changes that follow appear in the log.
    if (isOver) this.#isShown = false;
    const parts = this.#streams.map((stream) => {
      const { done, total } = this.#of(stream);
      return `${stream} ${done}/${total}`;
    });
    this.#io.stdout.write(`  ${parts.join(", ")}\n`);
  }

  #of(stream: StreamName): { done: number; total: number; left: number } {
    const done = this.#delivered.get(stream) ?? 0;
    // A record of an earlier run may be delivered too.
    const total = Math.max(done, this.#read.get(stream) ?? 0);
    return { done, total, left: total - done };
  }
}

/** Whether a stream was never read to its end. */
export async function isFirstLoad(
  store: Pick<IntakeStore, "stream">,
  streams: readonly StreamName[],
): Promise<boolean> {
  const cursors = await Promise.all(streams.map((stream) => store.stream(stream)));
  return cursors.some(({ firstLoad }) => firstLoad);
}
