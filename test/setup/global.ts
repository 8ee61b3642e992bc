import { buildProgram } from "./built-program.ts";
import { provideRedis } from "./redis.ts";

/**
 * Runs once before all tests: builds the program and makes sure of the Redis server that most of them start. The other programs (PostgreSQL,
 * MariaDB, Chromium) are installed by the first test that asks for one.
 */
export default async function setup(): Promise<void> {
  await buildProgram();
  await provideRedis();
}
