import { within, errorFacts, type Clock, type ErrorFacts } from "#model";

/** Each check resolves if its part works, and rejects if it does not. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface ReadinessChecks {
  /** If one of these fails, this process can neither serve nor poll, so it is not ready. */
  readonly needed: Checks;
  /** Named in the answer without affecting readiness: another process would be no better off. */
  readonly reported: Checks;
}

type CheckResult = "ok" | Pick<ErrorFacts, "code" | "message">;

export interface Readiness {
  readonly ready: boolean;
  /** Each part's name with `ok`, or what is wrong with it. */
  readonly parts: Readonly<Record<string, CheckResult>>;
}

/** Answers are reused for this long, so that the parts are asked at most once a second. */
const freshMs = 1000;
/** A part that takes longer counts as failed: a probe must get its answer before its own time-out. */
const patienceMs = 4000;

/** Asks all parts at once, within a time limit; concurrent callers share the answer. */
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
