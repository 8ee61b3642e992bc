import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";

/** A request that was ended before its first byte was sent, and why. */
export class Withheld extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("the request was withheld", { cause: reason });
    this.reason = reason;
  }
}

/**
 * Calls `mayGo` when the request's connection is ready, right before the first byte is sent, because a handshake takes as long as
 * the server wants. If `mayGo` throws, the request ends and nothing was sent.
 */
export function gated(request: ClientRequest, mayGo: () => void): ClientRequest {
  const pass = () => {
    try {
      mayGo();
    } catch (reason) {
      request.destroy(new Withheld(reason));
    }
  };
  return request.once("socket", (socket: Socket) => {
    const ready = readyEvent(socket);
    if (ready === undefined) return pass();
    socket.cork();
    socket.once(ready, () => {
      pass();
      if (!socket.destroyed) socket.uncork();
    });
  });
}

/** Returns the event that a connection is ready; undefined if it already is, because it was kept alive or is a tunnel. */
export function readyEvent(socket: Socket): "connect" | "secureConnect" | undefined {
  if ("secureConnecting" in socket) return socket.secureConnecting === true ? "secureConnect" : undefined;
  return socket.connecting ? "connect" : undefined;
}
