import { createHash } from "node:crypto";
import { posix } from "node:path";
import Client from "ssh2-sftp-client";
import { RetryError } from "#model";
import type { Folder } from "./folder.ts";
import type { FilesSettings } from "./schema.ts";

const CONNECT_TIMEOUT_MS = 15_000;

/** A folder on an SFTP server. Connects at the first use, and anew after a connection that broke. */
export function openSftpFolder(root: string, settings: NonNullable<FilesSettings["sftp"]>): Folder {
  let connection: Promise<Client> | undefined;
  const connected = async (): Promise<Client> => {
    connection ??= connect(settings, () => {
      connection = undefined;
    });
    try {
      return await connection;
    } catch (cause) {
      connection = undefined;
      const why = cause instanceof Error ? cause.message : "no reason given";
      throw new RetryError("E_SOURCE_UNREACHABLE", `${settings.host}: no SFTP connection: ${why}`, { cause });
    }
  };
  return {
    async list(below) {
      const client = await connected();
      const path = posix.join(root, below);
      if (below !== "" && (await client.exists(path)) === false) return [];
      const entries = await client.list(path);
      return entries
        .filter(({ type }) => type === "-")
        .map(({ name, size, modifyTime }) => ({ name, size, modifiedAt: modifyTime }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async move(from, to) {
      const client = await connected();
      await client.mkdir(posix.join(root, posix.dirname(to)), true);
      await client.rename(posix.join(root, from), posix.join(root, to));
    },
    open: async (path) => (await connected()).createReadStream(posix.join(root, path)),
    async write(path, text) {
      const client = await connected();
      await client.mkdir(posix.join(root, posix.dirname(path)), true);
      await client.put(Buffer.from(text), posix.join(root, path));
    },
    async [Symbol.asyncDispose]() {
      await (await connection?.catch(() => undefined))?.end();
    },
  };
}

async function connect(settings: NonNullable<FilesSettings["sftp"]>, onEnd: () => void): Promise<Client> {
  const { host, port, username, password, private_key, host_key } = settings;
  const client = new Client("svcsync", { error: onEnd, end: onEnd, close: onEnd });
  await client.connect({
    host,
    port,
    username,
    readyTimeout: CONNECT_TIMEOUT_MS,
    ...(password === undefined ? {} : { password }),
    ...(private_key === undefined ? {} : { privateKey: private_key }),
    hostVerifier: (key: Buffer) => fingerprint(key) === host_key,
  });
  return client;
}

/** As `ssh-keygen -l` shows it. */
function fingerprint(key: Buffer): string {
  return createHash("sha256").update(key).digest("base64").replace(/=+$/, "");
}
