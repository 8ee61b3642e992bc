import type { ChannelState, Notice, NoticeEvent, NoticeStore, QueuedEvent } from "../contract/people/notices.ts";
import { parseText, type JsonText } from "../rows/json-text.ts";
import { upsert, type Access } from "./access.ts";

/** The state of notifications. */
export class Notices implements NoticeStore {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async notices(): Promise<Notice[]> {
    const rows = await this.#access.read<{ notice: JsonText<Notice> }>("SELECT notice FROM notices ORDER BY id");
    return rows.map(({ notice }) => parseText(notice));
  }

  /** Ids and channels are names, which are compared. They are not redacted, even if one contains a weak password. */
  async saveNotices({ changed, ended, events }: Parameters<NoticeStore["saveNotices"]>[0]): Promise<void> {
    const clean = (notice: Notice): Notice => ({ ...this.#access.clean(notice), id: notice.id });
    await this.#access.step([
      ...changed.map((notice) => upsert("notices", "id", { id: notice.id, notice: JSON.stringify(clean(notice)) })),
      ...ended.map((id) => ({ sql: "DELETE FROM notices WHERE id = @id", values: { id } })),
      ...events.map(({ channel, event }) => ({
        sql: "INSERT INTO notice_events (channel, event) VALUES (@channel, @event)",
        values: { channel, event: JSON.stringify({ ...event, notice: clean(event.notice) }) },
      })),
    ]);
  }

  async queuedEvents(channel: string): Promise<QueuedEvent[]> {
    const rows = await this.#access.read<{ number: number; event: JsonText<NoticeEvent> }>(
      "SELECT number, event FROM notice_events WHERE channel = @channel ORDER BY number",
      { channel },
    );
    return rows.map(({ number, event }) => ({ number, event: parseText(event) }));
  }

  async deliveredEvents(channel: string, upTo: number): Promise<void> {
    const sql = "DELETE FROM notice_events WHERE channel = @channel AND number <= @upTo";
    await this.#access.step([{ sql, values: { channel, upTo } }]);
  }

  async channels(): Promise<(ChannelState & { waiting: number })[]> {
    const rows = await this.#access.read<{ state: JsonText<ChannelState>; waiting: number }>(
      `SELECT state, (SELECT count(*) FROM notice_events e WHERE e.channel = c.name) AS waiting
       FROM notice_channels c ORDER BY name`,
    );
    return rows.map(({ state, waiting }) => ({ ...parseText(state), waiting }));
  }

  async saveChannel(state: ChannelState): Promise<void> {
    const { name } = state;
    const clean = { ...this.#access.clean(state), name };
    await this.#access.step([upsert("notice_channels", "name", { name, state: JSON.stringify(clean) })]);
  }
}
