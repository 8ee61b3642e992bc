/** The lane back to the ERP, column by column as in SQLite. Subjects are short: they are a part of a name in the ERP's inbox. */
export const postgresReturnsMigration = `
  CREATE TABLE returns (
    stream        text COLLATE "C" NOT NULL,
    subject       text COLLATE "C" NOT NULL,
    version       bigint NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    service_id    bigint,
    replaces      bigint,
    hash          text COLLATE "C" NOT NULL,
    content       text,
    state         text COLLATE "C" NOT NULL,
    prepared_at   bigint NOT NULL,
    delivered_at  bigint,
    result        text COLLATE "C",
    document      text,
    message       text,
    answered_at   bigint,
    following     text COLLATE "C",
    attempts      integer NOT NULL,
    due_at        bigint NOT NULL,
    error         text,
    PRIMARY KEY (stream, subject, version)
  );
  CREATE INDEX returns_state ON returns (stream, state, subject, version);
  CREATE INDEX returns_due ON returns (stream, state, due_at, subject, version);
  CREATE INDEX returns_following ON returns (stream, due_at, subject, version) WHERE following = 'due';

  CREATE TABLE return_marks (
    stream  text COLLATE "C" NOT NULL,
    name    text COLLATE "C" NOT NULL,
    value   text NOT NULL,
    PRIMARY KEY (stream, name)
  )
`;
