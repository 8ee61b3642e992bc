/**
 * What the service's refusals told any member: until when nothing may be sent, and how many requests per second the service takes. The
 * rate is null until it has refused a request as too many. One row. Each member is granted a part of the rate; `known` is the value it
 * last reported or was told.
 */
export const limits = `
  CREATE TABLE service_limits (paused_until timestamptz NOT NULL, rate integer);
  INSERT INTO service_limits (paused_until) VALUES ('-infinity');
  ALTER TABLE members ADD COLUMN rate integer, ADD COLUMN known integer
`;
