import { randomUUID } from "node:crypto";

/** An answer that belongs to another message: the connection must be closed, and nothing that it returned may be used. */
export class ForeignAnswer extends Error {
  constructor() {
    super("the connection returned the answer to another message, and was terminated");
  }
}

/**
 * Sends a text that exists once and expects it back. A pooler may hand over a session whose last answer it has not read: then each message
 * gets the answer to the one before. PgBouncer (1.18 to 1.25) does, if a notification arrives while it resets a session.
 * @throws {ForeignAnswer}
 */
export async function expectOwnAnswer(echo: (text: string) => Promise<unknown>): Promise<void> {
  const text = randomUUID();
  if ((await echo(text)) !== text) throw new ForeignAnswer();
}
