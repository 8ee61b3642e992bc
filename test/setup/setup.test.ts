import { execFile } from "node:child_process";
import { connect } from "node:net";
import { once } from "node:events";
import { promisify } from "node:util";
import { createConnection } from "mysql2/promise";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { findChromium } from "./chromium.ts";
import { startMariadb } from "./mariadb.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";

describe("what the tests start", () => {
  it("is a Redis that answers, stops and starts again", async () => {
    await using redis = await startRedis();
    expect(await ping(redis.port)).toBe("+PONG\r\n");
    await redis.stop();
    await expect(ping(redis.port)).rejects.toThrow("ECONNREFUSED");
    await redis.start();
    expect(await ping(redis.port)).toBe("+PONG\r\n");
  });

  it("is a PostgreSQL that answers and keeps its data over a restart", async () => {
    await using postgres = await startPostgres();
    await query(postgres.url, "CREATE TABLE kept AS SELECT 42 AS answer");
    await postgres.stop();
    await postgres.start();
    expect(await query(postgres.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  });

  it("is a MariaDB that answers over TCP", async () => {
    await using mariadb = await startMariadb();
    const connection = await createConnection(mariadb.url.replace("mariadb:", "mysql:"));
    const [rows] = await connection.query("SELECT DATABASE() AS name");
    await connection.end();
    expect(rows).toEqual([{ name: "test" }]);
  });

  it("is a Chromium that says its version", async () => {
    const { stdout } = await promisify(execFile)(await findChromium(), ["--version", "--no-sandbox"]);
    expect(stdout).toMatch(/chrom/i);
  });
});

async function ping(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write("PING\r\n");
  const [answer] = await once(socket, "data");
  socket.destroy();
  return String(answer);
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}
