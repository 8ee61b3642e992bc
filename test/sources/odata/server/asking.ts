export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parses the body. Throws where it is no JSON. */
  readonly json: () => ReturnType<typeof JSON.parse>;
}

/** Asks a server once, without svcsync. */
export async function ask(url: string, init: RequestInit = {}): Promise<Heard> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) };
}
