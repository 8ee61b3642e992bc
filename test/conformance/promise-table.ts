/** What became of one promise for one subject in this run. */
export type Verdict =
  | { readonly kind: "proven" | "failed" }
  | { readonly kind: "skipped" | "n/a"; readonly reason: string };

/** Verdicts by subject and promise. */
export type PromiseCells = Readonly<Record<string, Readonly<Record<string, Verdict>>>>;

/** Subjects by promises, filled while tests run and printed when they are done: nothing is left out silently. */
export class PromiseTable {
  readonly #cells = new Map<string, Map<string, Verdict>>();

  note(subject: string, promise: string, verdict: Verdict): void {
    const row = this.#cells.get(subject) ?? new Map<string, Verdict>();
    this.#cells.set(subject, row.set(promise, verdict));
  }

  /** What is known about each subject, in the order of the run. */
  cells(): PromiseCells {
    return Object.fromEntries([...this.#cells].map(([subject, row]) => [subject, Object.fromEntries(row)]));
  }

  /** Promises down, subjects across; reasons are footnotes. */
  text(): string {
    const subjects = [...this.#cells.keys()];
    const promises = [...new Set(subjects.flatMap((subject) => [...this.#cells.get(subject)!.keys()]))];
    const reasons: string[] = [];
    const cell = (subject: string, promise: string): string => {
      const verdict = this.#cells.get(subject)!.get(promise);
      if (!verdict) return "-";
      if (!("reason" in verdict)) return verdict.kind;
      if (!reasons.includes(verdict.reason)) reasons.push(verdict.reason);
      return `${verdict.kind} [${reasons.indexOf(verdict.reason) + 1}]`;
    };
    const lines = [
      ["", ...subjects],
      ...promises.map((promise) => [promise, ...subjects.map((subject) => cell(subject, promise))]),
    ];
    const widths = lines[0]!.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
    const rows = lines.map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at]!))
        .join(" | ")
        .trimEnd(),
    );
    return [...rows, "", ...reasons.map((reason, at) => `[${at + 1}] ${reason}`), ""].join("\n");
  }
}
