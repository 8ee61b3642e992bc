/** What is wrong with a question; each product has its own words for it. */
export type FaultKind = "syntax" | "property" | "type" | "mixedOr" | "option" | "navigation";

/** A question that the service does not understand. */
export class QueryFault extends Error {
  readonly kind: FaultKind;
  /** The word that is wrong. */
  readonly subject: string;

  constructor(kind: FaultKind, subject: string) {
    super(`${kind}: ${subject}`);
    this.kind = kind;
    this.subject = subject;
  }
}
