import { errorFacts, type Clock, type ErrorFacts } from "#model";

/** What must be usable for work to go on: each resolves when its part is, and rejects when it is not. */
export type Parts = Readonly<Record<string, (signal: AbortSignal) => Promise<void>>>;

export interface Readiness {
  readonly ready: boolean;
  /** Each part's name with `ok`, or what is wrong with it. */
  readonly parts: Readonly<Record<string, "ok" | Pick<ErrorFacts, "code" | "message">>>;
}

/** An answer this fresh is given again: however many ask, the parts are asked once a second at most. */
const freshMs = 1000;
/** A part that takes longer does not work; whoever asks must have an answer before his own patience ends. */
const patienceMs = 4000;

/** Asks all parts at once, with bounded time; those who ask meanwhile get the same answer. */
export function readinessOf(parts: Parts, clock: Clock): () => Promise<Readiness> {
  let last: { readonly askedAt: number; readonly answer: Promise<Readiness> } | undefined;
  return () => {
    const now = clock.now();
    if (last === undefined || Math.abs(now - last.askedAt) >= freshMs) last = { askedAt: now, answer: ask(parts) };
    return last.answer;
  };
}

async function ask(parts: Parts): Promise<Readiness> {
  const answers = await Promise.all(
    Object.entries(parts).map(async ([name, part]) => [name, await answerOf(part)] as const),
  );
  return { ready: answers.every(([, answer]) => answer === "ok"), parts: Object.fromEntries(answers) };
}

async function answerOf(part: Parts[string]): Promise<Readiness["parts"][string]> {
  const patience = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Readiness["parts"][string]>((resolve) => {
    timer = setTimeout(() => {
      resolve({ code: "E_NOT_READY", message: `no answer within ${patienceMs / 1000} s` });
      patience.abort();
    }, patienceMs);
  });
  const answer = part(patience.signal).then(
    () => "ok" as const,
    (error: unknown) => {
      const { code, message } = errorFacts(error);
      return { code, message };
    },
  );
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
