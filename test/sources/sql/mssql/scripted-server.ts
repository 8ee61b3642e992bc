import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { listen } from "../../../setup/listen.ts";

/** What a server says instead of letting a client in. */
export interface SaidError {
  readonly number: number;
  readonly severity: number;
  readonly message: string;
}

/** As much of SQL Server's protocol (MS-TDS) as it takes to log in, or to be refused; every request then loses its connection in the answer. */
export async function scriptedServer(refusals: readonly SaidError[] = []) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let packets = 0;
    socket.on("data", () => {
      packets++;
      if (packets === 1) return void socket.write(packet(prelogin));
      if (packets === 2 && refusals.length > 0)
        return void socket.end(packet(Buffer.concat([...refusals.map(errorToken), doneToken])));
      if (packets === 2) return void socket.write(packet(Buffer.concat([loginAcknowledged, doneToken])));
      // The driver's own first statement.
      if (packets === 3) return void socket.write(packet(doneToken));
      return void socket.end();
    });
  });
  const port = await listen(server);
  return {
    url: `mssql://reader:secret@127.0.0.1:${port}/erp`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** One packet with an answer of the server, which is the last of its message. */
function packet(data: Buffer): Buffer {
  const header = Buffer.from([4, 1, 0, 0, 0, 0, 1, 0]);
  header.writeUInt16BE(header.length + data.length, 2);
  return Buffer.concat([header, data]);
}

/** Version 15, and no encryption: two options with place and length, then their values. */
const prelogin = Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 15, 0, 0, 0, 0, 0, 2]);

const name = counted("SQL");
const loginAcknowledged = token(
  0xad,
  Buffer.concat([Buffer.from([1, 0x74, 0, 0, 4]), name, Buffer.from([15, 0, 0, 0])]),
);
const doneToken = Buffer.concat([Buffer.from([0xfd]), Buffer.alloc(12)]);

function errorToken({ number, severity, message }: SaidError): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(number, 0);
  head.writeUInt8(1, 4);
  head.writeUInt8(severity, 5);
  head.writeUInt16LE(message.length, 6);
  return token(0xaa, Buffer.concat([head, Buffer.from(message, "utf16le"), name, counted(""), Buffer.alloc(4)]));
}

function token(kind: number, data: Buffer): Buffer {
  const head = Buffer.from([kind, 0, 0]);
  head.writeUInt16LE(data.length, 1);
  return Buffer.concat([head, data]);
}

function counted(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "utf16le")]);
}
