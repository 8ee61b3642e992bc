import { connect, createServer } from "node:net";
import { listen } from "../setup/listen.ts";

/**
 * A way to a PostgreSQL on this machine that behaves like a pooler which hands over a session with an answer that nobody has read: from the
 * chosen message on, each message of that connection gets the answer to the one before.
 */
export interface AnswerAhead extends AsyncDisposable {
  readonly url: string;
  /** Each connection's messages, the greeting included. */
  readonly connections: readonly (readonly string[])[];
  /** Before the answers to the next `count` messages that hold this text, comes the answer of a reset. */
  insertBefore(text: string, count?: number): void;
}

/** Protocol 3.0: CommandComplete of DISCARD ALL, and ReadyForQuery in no transaction. */
const RESET = Buffer.from("C\0\0\0\x10DISCARD ALL\0Z\0\0\0\x05I", "latin1");

export async function answerAhead(serverUrl: string): Promise<AnswerAhead> {
  const connections: string[][] = [];
  let next = { text: "", count: 0 };
  const { port: serverPort } = new URL(serverUrl);
  const server = createServer((client) => {
    const target = connect(Number(serverPort), "127.0.0.1");
    const messages: string[] = [];
    connections.push(messages);
    const end = () => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).on("close", end);
    client.on("data", (data) => {
      messages.push(data.toString("latin1"));
      if (next.count > 0 && data.includes(next.text)) {
        next.count -= 1;
        client.write(RESET);
      }
      target.write(data);
    });
    target.on("data", (data) => client.write(data));
  });
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${await listen(server)}`;
  return {
    url: url.href,
    connections,
    insertBefore(text, count = 1) {
      next = { text, count };
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
