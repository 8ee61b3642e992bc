import { startSandbox, type Fault } from "#sandbox";
import type { Answer, Question } from "./sandbox-process.ts";

/** Remembers every request of the largest load. */
const LEDGER_SIZE = 250_000;

const faults: Fault[] = JSON.parse(process.argv[2] ?? "[]");
const sandbox = await startSandbox({ ledgerSize: LEDGER_SIZE, faults });
const { ledger, url } = sandbox;

process.on("message", (message: { number: number; question: Question }) => {
  process.send?.({ number: message.number, answer: answer(message.question) });
});
process.send?.({ url });

function answer(question: Question): Answer {
  switch (question.kind) {
    case "count":
      return { count: ledger.count(question.query) };
    case "approve": {
      const { id } = sandbox.people.approvedReport({ customer: question.customer, erpReferenceNumber: "A-1" });
      return { count: id, firstAt: Date.now() };
    }
    case "records": {
      const kept = sandbox.records(question.resource);
      return { count: kept.length, records: kept };
    }
    case "writes": {
      const writes = ledger.writes({ resource: question.resource });
      return { count: writes.length, writes };
    }
    case "passed": {
      const passedAt = ledger.requests(question.query).flatMap(({ at, status }) => (status === 429 ? [] : [at]));
      return { count: passedAt.length, passedAt };
    }
    case "window": {
      const entries = ledger.requests(question.query).slice(question.skip);
      const first = entries[0];
      const last = entries.at(-1);
      if (!first || !last) return { count: 0 };
      return { count: entries.length, firstAt: first.at, lastAt: last.at, url: first.url };
    }
  }
}
