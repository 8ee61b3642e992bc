import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdir, open, readdir, rename, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import ssh2, { type Connection, type SFTPWrapper } from "ssh2";

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

export interface SftpServer extends AsyncDisposable {
  readonly port: number;
  readonly hostKey: string;
  /** How many connections are open. */
  connectionCount(): number;
  /** Ends every connection at once. */
  cut(): void;
  /** Ends every connection in place of the answer to a request, once this many were answered. */
  cutAfter(requests: number): void;
}

/** A real SSH server on a free port that serves one folder by SFTP to the user `erp`, password `secret`. */
export async function startSftpServer(root: string): Promise<SftpServer> {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  const key = Array.isArray(parsed) ? parsed[0]! : parsed;
  const connections = new Set<Connection>();
  let left = Number.POSITIVE_INFINITY;
  const cut = () => connections.forEach((connection) => connection.end());
  const mayAnswer = () => {
    if (left-- > 0) return true;
    left = Number.POSITIVE_INFINITY;
    cut();
    return false;
  };
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (connection) => {
    connections.add(connection);
    // As real servers do; else each answer waits 40 ms for an acknowledgement.
    const withSocket: Connection & { setNoDelay?: (on: boolean) => void } = connection;
    withSocket.setNoDelay?.(true);
    connection.on("error", () => undefined);
    connection.on("close", () => connections.delete(connection));
    connection.on("authentication", (login) =>
      login.method === "password" && login.username === "erp" && login.password === "secret"
        ? login.accept()
        : login.reject(["password"]),
    );
    connection.on("session", (accept) => accept().on("sftp", (open) => serve(open(), root, mayAnswer)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    port: address.port,
    hostKey: createHash("sha256").update(key.getPublicSSH()).digest("base64").replace(/=+$/, ""),
    connectionCount: () => connections.size,
    cut,
    cutAfter(requests) {
      left = requests;
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.end();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Handle = { kind: "file"; file: FileHandle } | { kind: "folder"; path: string; read: boolean };

function serve(sftp: SFTPWrapper, root: string, mayAnswer: () => boolean): void {
  const handles: Handle[] = [];
  let isOver = false;
  const at = (path: string) => join(root, path);
  const handle = (id: Buffer) => handles[id.readUInt32BE(0)]!;
  const give = (request: number, value: Handle) => {
    if (isOver && value.kind === "file") return void value.file.close();
    const id = Buffer.alloc(4);
    id.writeUInt32BE(handles.push(value) - 1);
    sftp.handle(request, id);
  };
  const attempt = (request: number, work: () => Promise<unknown>) =>
    mayAnswer() &&
    void work().then(
      (answered) => answered === true || sftp.status(request, STATUS_CODE.OK),
      () => sftp.status(request, STATUS_CODE.NO_SUCH_FILE),
    );
  const facts = (request: number, path: string) =>
    attempt(request, async () => {
      const { mode, size, mtimeMs } = await stat(at(path));
      const time = Math.floor(mtimeMs / 1000);
      sftp.attrs(request, { mode, size, uid: 0, gid: 0, atime: time, mtime: time });
      return true;
    });
  sftp.on("close", () => {
    isOver = true;
    for (const one of handles) if (one.kind === "file") void one.file.close();
  });
  sftp.on("REALPATH", (request, path) => sftp.name(request, [{ filename: path, longname: path, attrs: NO_FACTS }]));
  sftp.on("STAT", facts);
  sftp.on("LSTAT", facts);
  sftp.on("MKDIR", (request, path) => attempt(request, () => mkdir(at(path))));
  sftp.on("RENAME", (request, from, to) => attempt(request, () => rename(at(from), at(to))));
  sftp.on("OPENDIR", (request, path) =>
    attempt(request, async () => {
      await stat(at(path));
      give(request, { kind: "folder", path, read: false });
      return true;
    }),
  );
  sftp.on("READDIR", (request, id) =>
    attempt(request, async () => {
      const folder = handle(id);
      if (folder.kind !== "folder" || folder.read) return sftp.status(request, STATUS_CODE.EOF) === undefined;
      folder.read = true;
      const names = await readdir(at(folder.path));
      const entries = names.map(async (filename) => {
        const { mode, size, mtimeMs } = await stat(at(join(folder.path, filename)));
        const time = Math.floor(mtimeMs / 1000);
        const longname = `${(mode & 0o170000) === 0o040000 ? "d" : "-"}rw-r--r-- 1 erp erp ${size} Jan 1 00:00 ${filename}`;
        return { filename, longname, attrs: { mode, size, uid: 0, gid: 0, atime: time, mtime: time } };
      });
      sftp.name(request, await Promise.all(entries));
      return true;
    }),
  );
  sftp.on("OPEN", (request, path, flags) =>
    attempt(request, async () => {
      give(request, { kind: "file", file: await open(at(path), (flags & OPEN_MODE.WRITE) === 0 ? "r" : "w") });
      return true;
    }),
  );
  sftp.on("FSTAT", (request) => sftp.status(request, STATUS_CODE.OP_UNSUPPORTED));
  sftp.on("FSETSTAT", (request) => sftp.status(request, STATUS_CODE.OK));
  sftp.on("READ", (request, id, offset, length) =>
    attempt(request, async () => {
      const one = handle(id);
      if (one.kind !== "file") return false;
      const { bytesRead, buffer } = await one.file.read(Buffer.alloc(length), 0, length, offset);
      if (bytesRead === 0) sftp.status(request, STATUS_CODE.EOF);
      else sftp.data(request, buffer.subarray(0, bytesRead));
      return true;
    }),
  );
  sftp.on("WRITE", (request, id, offset, data) =>
    attempt(request, async () => {
      const one = handle(id);
      if (one.kind === "file") await one.file.write(data, 0, data.length, offset);
    }),
  );
  sftp.on("CLOSE", (request, id) =>
    attempt(request, async () => {
      const one = handle(id);
      if (one.kind === "file") await one.file.close();
    }),
  );
}

const NO_FACTS = { mode: 0, size: 0, uid: 0, gid: 0, atime: 0, mtime: 0 };
