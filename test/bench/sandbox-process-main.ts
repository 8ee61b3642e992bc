import { startSandbox } from "#sandbox";
import type { Answer, Question } from "./sandbox-process.ts";

/** Remembers every request of the largest load. */
const LEDGER_SIZE = 250_000;

const latencyMs = Number(process.argv[2]);
const perSecond = Number(process.argv[3]);
/** NaN: a 429 does not say how long to stay away. */
const retryAfterSeconds = Number(process.argv[4]);
const { ledger, url } = await startSandbox({
  ledgerSize: LEDGER_SIZE,
  faults: [
    ...(latencyMs > 0 ? [{ kind: "latency", ms: latencyMs } as const] : []),
    ...(perSecond > 0
      ? [{ kind: "rateLimit", perSecond, ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}) } as const]
      : []),
  ],
});

process.on("message", (message: { number: number; question: Question }) => {
  process.send?.({ number: message.number, answer: answer(message.question) });
});
process.send?.({ url });

function answer(question: Question): Answer {
  switch (question.kind) {
    case "count":
      return { count: ledger.count(question.query) };
    case "window": {
      const entries = ledger.requests(question.query);
      const first = entries[0];
      const last = entries.at(-1);
      if (!first || !last) return { count: 0 };
      return { count: entries.length, firstAt: first.at, lastAt: last.at, url: first.url };
    }
  }
}
