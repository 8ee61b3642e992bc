/** What people were told, what is still to be told, and the state of the channels. */
export const notices = `
  CREATE TABLE notices (
    id      TEXT PRIMARY KEY,
    notice  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Numbers are never used again: a channel forgets what it delivered by the last number.
  CREATE TABLE notice_events (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    channel  TEXT NOT NULL,
    event    TEXT NOT NULL
  ) STRICT;
  CREATE INDEX notice_events_of ON notice_events (channel, number);

  CREATE TABLE notice_channels (
    name   TEXT PRIMARY KEY,
    state  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
