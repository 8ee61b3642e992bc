import type { Database } from "better-sqlite3";
import type { ChannelState, Notice, NoticeEvent, NoticeStore, QueuedEvent } from "../../contract/notices.ts";
import type { Access } from "../access.ts";
import { parseText, type JsonText } from "./json-text.ts";

/** What notifications remember. */
export class Notices implements NoticeStore {
  readonly #access: Access;
  readonly #all;
  readonly #save;
  readonly #forget;
  readonly #queue;
  readonly #queued;
  readonly #delivered;
  readonly #channels;
  readonly #waiting;
  readonly #saveChannel;

  constructor(db: Database, access: Access) {
    this.#access = access;
    this.#all = db.prepare<[], JsonText<Notice>>("SELECT notice FROM notices ORDER BY id").pluck();
    this.#save = db.prepare<[string, string]>("INSERT OR REPLACE INTO notices (id, notice) VALUES (?, ?)");
    this.#forget = db.prepare<[string]>("DELETE FROM notices WHERE id = ?");
    this.#queue = db.prepare<[string, string]>("INSERT INTO notice_events (channel, event) VALUES (?, ?)");
    this.#queued = db.prepare<[string], { number: number; event: JsonText<NoticeEvent> }>(
      "SELECT number, event FROM notice_events WHERE channel = ? ORDER BY number",
    );
    this.#delivered = db.prepare<[string, number]>("DELETE FROM notice_events WHERE channel = ? AND number <= ?");
    this.#channels = db.prepare<[], JsonText<ChannelState>>("SELECT state FROM notice_channels ORDER BY name").pluck();
    this.#waiting = db.prepare<[string], number>("SELECT count(*) FROM notice_events WHERE channel = ?").pluck();
    this.#saveChannel = db.prepare<[string, string]>(
      "INSERT OR REPLACE INTO notice_channels (name, state) VALUES (?, ?)",
    );
  }

  notices(): Promise<Notice[]> {
    return this.#access.read(() => this.#all.all().map(parseText));
  }

  saveNotices(step: Parameters<NoticeStore["saveNotices"]>[0]): Promise<void> {
    const { changed, ended, events } = this.#access.clean(step);
    return this.#access.step(() => {
      for (const notice of changed) this.#save.run(notice.id, JSON.stringify(notice));
      for (const id of ended) this.#forget.run(id);
      for (const { channel, event } of events) this.#queue.run(channel, JSON.stringify(event));
    });
  }

  queuedEvents(channel: string): Promise<QueuedEvent[]> {
    return this.#access.read(() =>
      this.#queued.all(channel).map(({ number, event }) => ({ number, event: parseText(event) })),
    );
  }

  deliveredEvents(channel: string, upTo: number): Promise<void> {
    return this.#access.step(() => void this.#delivered.run(channel, upTo));
  }

  channels(): Promise<(ChannelState & { waiting: number })[]> {
    return this.#access.read(() =>
      this.#channels.all().map((text) => {
        const state = parseText(text);
        return { ...state, waiting: this.#waiting.get(state.name) ?? 0 };
      }),
    );
  }

  saveChannel(state: ChannelState): Promise<void> {
    const clean = this.#access.clean(state);
    return this.#access.step(() => void this.#saveChannel.run(clean.name, JSON.stringify(clean)));
  }
}
