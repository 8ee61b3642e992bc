import type { Dice } from "../chaos/dice.ts";

export interface Asked {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the client gets to see instead of the answer. */
export type Shown =
  | { readonly kind: "answer"; readonly answer: Answer }
  /** The body in pieces over this time. */
  | { readonly kind: "slow"; readonly answer: Answer; readonly ms: number }
  /** These bytes on the socket, and then its end. */
  | { readonly kind: "raw"; readonly bytes: Buffer }
  | { readonly kind: "cut" }
  /** Nothing, until the client gives up. */
  | { readonly kind: "silence" };

export interface Scene {
  readonly asked: Asked;
  readonly dice: Dice;
  /** An earlier list answer at the same path, whatever its query. */
  readonly earlier: Answer | undefined;
  /** Where a redirect may lead to: somebody who collects what arrives. */
  readonly thiefUrl: string;
  /** Fields whose values are left alone: a list that names another natural key is a lie that no client can detect. */
  readonly trusted: ReadonlySet<string>;
}

/** Changes an answer, or gives undefined where it does not apply. */
export type Mutation = (answer: Answer, scene: Scene) => Shown | undefined;
/** Answers without carrying the request out. */
export type Refusal = (scene: Scene) => Shown;

export function shown(answer: Answer): Shown {
  return { kind: "answer", answer };
}

export function withBody(answer: Answer, body: Buffer | string): Answer {
  return { ...answer, body: typeof body === "string" ? Buffer.from(body) : body };
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? "");
}
