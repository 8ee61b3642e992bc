/**
 * What the service's refusals told any replica: until when nothing may be sent, and how many requests it bears within a second; null until it
 * has refused one as too many. One row. A replica is granted a part of the rate; `known` is what it last told or was told.
 */
export const limits = `
  CREATE TABLE service_limits (paused_until timestamptz NOT NULL, rate integer);
  INSERT INTO service_limits (paused_until) VALUES ('-infinity');
  ALTER TABLE members ADD COLUMN rate integer, ADD COLUMN known integer
`;
