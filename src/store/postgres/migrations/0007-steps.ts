/**
 * How many messages of steps were committed, and the server run of the last one; also how many there were, and how many creates, when that
 * run began. One row. If a process knows of more, a failover lost commits.
 */
export const stepsMigration = `
  CREATE TABLE steps (count bigint NOT NULL, server bigint NOT NULL, count_before bigint NOT NULL, creates_before bigint NOT NULL);
  INSERT INTO steps VALUES (0, 0, 0, 0)
`;
