import { onAbort } from "#model";
import type { SqlSession } from "./engines/engine.ts";

/** Idle connections are ended after this time, because servers and firewalls drop those that are silent for long. */
const idleMs = 15_000;

interface Idle<Session> {
  readonly session: Session;
  readonly timer: NodeJS.Timeout;
}

/** A few connections, opened on demand and shared by the streams of a source. A caller that finds none waits in line. */
export class Pool<Session extends SqlSession> {
  readonly #connect: () => Promise<Session>;
  readonly #limit: number;
  readonly #idle: Idle<Session>[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #busy = new Set<Session>();
  #count = 0;
  #closed = false;

  constructor(connect: () => Promise<Session>, limit: number) {
    this.#connect = connect;
    this.#limit = limit;
  }

  /** Lends a connection to `work`. If `work` throws, the connection is discarded, because its state is unknown. */
  async use<T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#take(signal);
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => undefined);
    // Not every driver ends a query whose connection is gone, so the caller does not wait for it.
    const unfollow = onAbort(signal, () => {
      aborted.reject(signal.reason);
      session.destroy();
    });
    try {
      const result = await Promise.race([work(session), aborted.promise]);
      if (session.isSpent !== true) this.#giveBack(session);
      else session.destroy();
      return result;
    } catch (error) {
      session.destroy();
      throw error;
    } finally {
      unfollow();
      if (this.#busy.delete(session)) this.#count--;
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const session of this.#busy) session.destroy();
    const idle = this.#idle.splice(0);
    await Promise.allSettled(
      idle.map(async ({ session, timer }) => {
        clearTimeout(timer);
        await session.end();
      }),
    );
  }

  async #take(signal: AbortSignal): Promise<Session> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#closed) throw new Error("the source was closed");
      const idle = this.#idle.pop();
      if (idle) {
        clearTimeout(idle.timer);
        if (idle.session.isSpent !== true) {
          this.#busy.add(idle.session);
          return idle.session;
        }
        this.#count--;
        idle.session.destroy();
        continue;
      }
      if (this.#count < this.#limit) return await this.#open();
      await this.#turn(signal);
    }
  }

  async #open(): Promise<Session> {
    this.#count++;
    try {
      const session = await this.#connect();
      this.#busy.add(session);
      return session;
    } catch (error) {
      this.#count--;
      this.#waiting.shift()?.();
      throw error;
    }
  }

  /** Resolves when a connection may have become free, or `signal` is aborted. */
  async #turn(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const proceed = () => {
        unfollow();
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
        resolve();
      };
      this.#waiting.push(proceed);
      const unfollow = onAbort(signal, leave);
    });
  }

  #giveBack(session: Session): void {
    this.#busy.delete(session);
    if (this.#closed) {
      session.destroy();
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((idle) => idle.session === session),
        1,
      );
      this.#count--;
      void session.end().catch(() => session.destroy());
    }, idleMs);
    timer.unref();
    this.#idle.push({ session, timer });
  }
}
