import { createHash } from "node:crypto";
import { connect as connectSocket, type Socket } from "node:net";
import { posix } from "node:path";
import type Client from "ssh2-sftp-client";
import { onAbort, ParkError, RetryError, SyncError, untilAborted } from "#model";
import type { Folder } from "./folder.ts";
import type { FilesSettings } from "../schema.ts";

const CONNECT_TIMEOUT_MS = 15_000;
/** Interval of keepalives. A silent server is noticed after three of them. */
const KEEPALIVE_MS = 5_000;
type SftpSettings = NonNullable<FilesSettings["sftp"]>;

interface Connection {
  readonly client: Client;
  /** Aborted when the connection ends. Otherwise work that waits for an answer would wait forever. */
  readonly lost: AbortSignal;
}

/** A folder on an SFTP server. Connects at the first use, and reconnects after the connection breaks. */
export function openSftpFolder(root: string, settings: SftpSettings): Folder {
  let connection: Promise<Connection> | undefined;
  /** One that ends tells so more than once, also after another one took its place. */
  const forget = (ended: Promise<Connection>) => {
    if (connection === ended) connection = undefined;
  };
  const connected = async (): Promise<Connection> => {
    const mine = (connection ??= connect(settings, () => forget(mine)));
    try {
      return await mine;
    } catch (thrown) {
      forget(mine);
      throw refused(settings.host, thrown);
    }
  };
  const run = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const { client, lost } = await connected();
    return untilAborted(work(client), lost).catch((thrown: unknown) => {
      throw thrown instanceof SyncError ? thrown : failed(settings.host, thrown);
    });
  };
  return {
    async list(below) {
      const path = posix.join(root, below);
      const entries = await run(async (client) =>
        below !== "" && (await client.exists(path)) === false ? [] : client.list(path),
      );
      return entries
        .filter(({ type }) => type === "-")
        .map(({ name, size, modifyTime }) => ({ name, size, modifiedAt: modifyTime }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    names: async (below) => {
      const path = posix.join(root, below);
      const entries = await run(async (client) => ((await client.exists(path)) === false ? [] : client.list(path)));
      return entries.filter(({ type }) => type === "-").map(({ name }) => name);
    },
    has: (path) => run(async (client) => (await client.exists(posix.join(root, path))) !== false),
    move: (from, to) =>
      run(async (client) => {
        await client.mkdir(posix.join(root, posix.dirname(to)), true);
        await client.rename(posix.join(root, from), posix.join(root, to));
      }),
    async open(path) {
      const { client, lost } = await connected();
      lost.throwIfAborted();
      const stream = client.createReadStream(posix.join(root, path));
      // The reader gets errors from the stream. An error after the last byte, when closing the file is no longer answered, would
      // have no listener and end the process.
      stream.on("error", () => undefined);
      stream.once(
        "close",
        onAbort(lost, () => stream.destroy(lost.reason)),
      );
      return stream;
    },
    write: (path, text) =>
      run(async (client) => {
        await client.mkdir(posix.join(root, posix.dirname(path)), true);
        await client.put(Buffer.from(text), posix.join(root, path));
      }),
    async [Symbol.asyncDispose]() {
      await (await connection?.catch(() => undefined))?.client.end();
    },
  };
}

async function connect(settings: SftpSettings, onEnd: () => void): Promise<Connection> {
  const { host, port, username, password, privateKey, hostKey } = settings;
  const losing = new AbortController();
  const ended = () => {
    onEnd();
    losing.abort(new RetryError("E_SOURCE_UNREACHABLE", `${host}: the SFTP connection ended`));
  };
  // Loaded on demand, because few installations read from an SFTP server.
  const { default: SftpClient } = await import("ssh2-sftp-client");
  const client = new SftpClient("svcsync", { error: ended, end: ended, close: ended });
  const sock = openSocket(host, port);
  const login = client.connect({
    sock,
    username,
    readyTimeout: CONNECT_TIMEOUT_MS,
    ...(password === undefined ? {} : { password }),
    ...(privateKey === undefined ? {} : { privateKey }),
    hostVerifier: (key: Buffer) => fingerprint(key) === hostKey,
    keepaliveInterval: KEEPALIVE_MS,
    keepaliveCountMax: 3,
  });
  await login.catch((thrown: unknown) => {
    sock.destroy();
    throw thrown;
  });
  for (const event of ["end", "close", "error"]) client.on(event, ended);
  return { client, lost: losing.signal };
}

/**
 * Opens a socket that sends each request at once. The driver's own socket would hold a request back until the previous packet is
 * acknowledged, which other systems delay by 40 ms. A poll makes dozens of requests in sequence.
 */
function openSocket(host: string, port: number): Socket {
  const socket = connectSocket({ host, port, noDelay: true });
  // The driver reports errors. An error before the driver listens would end the process without this listener.
  socket.on("error", () => undefined);
  return socket;
}

/** The error when the server answered with a refusal. It is retried, because rights can be granted and disk space freed. */
function failed(host: string, cause: unknown): SyncError {
  const why = cause instanceof Error ? cause.message : "no reason given";
  return new RetryError("E_SOURCE_FAILED", `${host}: the SFTP server refused: ${why}`, { cause });
}

function refused(host: string, cause: unknown): SyncError {
  const why = cause instanceof Error ? cause.message : "no reason given";
  return why.includes("authentication methods failed")
    ? new ParkError("E_SOURCE_LOGIN", `${host}: the server refused the credentials`, { cause })
    : new RetryError("E_SOURCE_UNREACHABLE", `${host}: no SFTP connection: ${why}`, { cause });
}

/** The key's fingerprint as `ssh-keygen -l` shows it. */
function fingerprint(key: Buffer): string {
  return createHash("sha256").update(key).digest("base64").replace(/=+$/, "");
}
