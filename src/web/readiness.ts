import { within, errorFacts, type Clock, type ErrorFacts } from "#model";

/** Each resolves when its part works, and rejects when it does not. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface ReadinessChecks {
  /** Without one of these, this process can neither serve nor poll: it is not ready. */
  readonly needed: Checks;
  /** Named in the answer, and nothing more: another process would be no better off. */
  readonly reported: Checks;
}

type CheckResult = "ok" | Pick<ErrorFacts, "code" | "message">;

export interface Readiness {
  readonly ready: boolean;
  /** Each part's name with `ok`, or what is wrong with it. */
  readonly parts: Readonly<Record<string, CheckResult>>;
}

/** An answer this fresh is given again: however many ask, the parts are asked once a second at most. */
const freshMs = 1000;
/** A part that takes longer has failed; a probe must get its answer before its own time-out. */
const patienceMs = 4000;

/** Asks all parts at once, with bounded time; those who ask meanwhile get the same answer. */
export function readinessOf(checks: ReadinessChecks, clock: Clock): () => Promise<Readiness> {
  let last: { readonly askedAt: number; readonly answer: Promise<Readiness> } | undefined;
  return () => {
    const now = clock.now();
    if (last === undefined || Math.abs(now - last.askedAt) >= freshMs) last = { askedAt: now, answer: ask(checks) };
    return last.answer;
  };
}

async function ask({ needed, reported }: ReadinessChecks): Promise<Readiness> {
  const [must, may] = await Promise.all([answersOf(needed), answersOf(reported)]);
  return { ready: Object.values(must).every((answer) => answer === "ok"), parts: { ...must, ...may } };
}

async function answersOf(checks: Checks): Promise<Readiness["parts"]> {
  const answers = Object.entries(checks).map(async ([name, check]) => [name, await answerOf(check)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

function answerOf(check: Checks[string]): Promise<CheckResult> {
  const answer = check().then(
    () => "ok" as const,
    (error: unknown) => {
      const { code, message } = errorFacts(error);
      return { code, message };
    },
  );
  return within(patienceMs, answer, () => ({
    code: "E_NOT_READY",
    message: `no answer within ${patienceMs / 1000} s`,
  }));
}
