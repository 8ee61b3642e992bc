/**
 * How many messages of steps were committed, and on which run of the database's server the last one was; and how many there were, with
 * how many creates, when that run began. One row. A process that knows of more knows of commits that a failover lost.
 */
export const steps = `
  CREATE TABLE steps (count bigint NOT NULL, server bigint NOT NULL, count_before bigint NOT NULL, creates_before bigint NOT NULL);
  INSERT INTO steps VALUES (0, 0, 0, 0)
`;
