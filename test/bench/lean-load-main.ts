import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

/** What the generator is told: the same words as the bare loop. */
const [address = "", file = "", connections = "", token = ""] = process.argv.slice(2);

const END = Buffer.from("\r\n\r\n");
const url = new URL(address);
const requests = readFileSync(file, "utf8").trimEnd().split("\n").map(requestOf);

/** Ready-made bytes: nothing is left to do in the measured time but to write them and to find the answer's end. */
function requestOf(body: string): Buffer {
  const head = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function work(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(url.port), url.hostname);
    let answer: Buffer = Buffer.alloc(0);
    const next = () => {
      const request = requests.pop();
      if (request) socket.write(request);
      else socket.end(() => resolve());
    };
    socket.on("connect", next).on("error", reject);
    socket.on("data", (bytes: Buffer) => {
      answer = answer.length === 0 ? bytes : Buffer.concat([answer, bytes]);
      const head = answer.indexOf(END);
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(answer.toString("latin1", 0, head))?.[1]);
      if (answer.length < head + END.length + length) return;
      answer = Buffer.alloc(0);
      next();
    });
  });
}

const count = requests.length;
await Promise.all(Array.from({ length: Number(connections) }, work));
process.send?.({ posted: count });
process.disconnect();
