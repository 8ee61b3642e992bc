import { findRedis, getRedis, type RedisProgram } from "#queue";
import { canInstallPackages, installPackages } from "./debian-packages.ts";

/**
 * Finds a Redis server on the PATH, or installs it from Debian's packages where this process may. `onInstall` gets one
 * sentence before anything is installed.
 * @throws {StopError} E_REDIS_MISSING, with one sentence per common system on how to get it.
 */
export async function provideRedis(onInstall: (sentence: string) => void): Promise<RedisProgram> {
  const found = await findRedis();
  if (found) return found;
  let failure: unknown;
  if (await canInstallPackages()) {
    onInstall("No redis-server or valkey-server is on the PATH: installing the Debian package redis-server.");
    failure = await installPackages(["redis-server"]).catch((thrown: unknown) => thrown);
  }
  return getRedis(failure);
}
