/** The service's reference data, and its records by natural key. Both can be read again. */
export const matchesMigration = `
  CREATE TABLE reference (
    resource  TEXT PRIMARY KEY,
    read_at   INTEGER NOT NULL,
    entries   TEXT NOT NULL
  ) STRICT;

  CREATE TABLE match_indexes (
    resource  TEXT PRIMARY KEY,
    read_at   INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE match_records (
    resource    TEXT NOT NULL,
    service_id  INTEGER NOT NULL,
    PRIMARY KEY (resource, service_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE match_keys (
    resource    TEXT NOT NULL,
    service_id  INTEGER NOT NULL,
    rule        TEXT NOT NULL,
    key         TEXT NOT NULL,
    PRIMARY KEY (resource, service_id, rule)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX match_keys_by_key ON match_keys (resource, rule, key, service_id);
`;
