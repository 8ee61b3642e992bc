import type { Database } from "better-sqlite3";
import type { CallValues, StatementCall, StepStatement } from "../statements/statement.ts";
import { readFacts, resultOf, type Step } from "../steps/step.ts";
import { sqliteDialect } from "./statements.ts";

/** Runs one statement, which was prepared, with the values. */
type Run = (values: CallValues) => readonly object[];

type SqlValue = string | number | null;

const NO_ROWS: readonly object[] = [];

/** Carries steps out, with statements that are prepared once. */
export class StepRunner {
  readonly #db: Database;
  readonly #prepared = new Map<StepStatement, Run>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Carries a step out in the current transaction. */
  carryOut<Facts extends object, Value>(step: Step<Facts, Value>): Value {
    const decided = step.decide(readFacts(step, this.#rows));
    return resultOf(decided, decided.writes.map(this.#rows));
  }

  readonly #rows = ({ of, values }: StatementCall): readonly object[] => {
    if (of.ofCluster) return NO_ROWS;
    let run = this.#prepared.get(of);
    if (run === undefined) {
      run = this.#prepare(of);
      this.#prepared.set(of, run);
    }
    return run(values);
  };

  /**
   * Values are bound by place, which takes less time than by name. Without the plus, SQLite would look at the values for its plan, and plan
   * a statement of several tables again each time, which takes ten times as long as the statement itself.
   */
  #prepare({ sql }: StepStatement): Run {
    const names: string[] = [];
    const text = sql(sqliteDialect).replace(/@(\w+)/g, (_, name: string) => {
      names.push(name);
      return "+?";
    });
    const prepared = this.#db.prepare<[SqlValue[]], object>(text);
    const placed = (values: CallValues): SqlValue[] => names.map((name) => bound(values[name] ?? null));
    if (prepared.reader) return (values) => prepared.all(placed(values));
    return (values) => {
      prepared.run(placed(values));
      return NO_ROWS;
    };
  }
}

function bound(value: CallValues[string]): SqlValue {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
