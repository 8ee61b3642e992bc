/** An answer before it is sent. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The error message of a refusal, for the ledger. */
  readonly error?: string;
}

/** The service says no. Becomes `{ status, errorMessage }`; never a defect. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

export const json = (value: unknown): Answer => ({ status: 200, body: JSON.stringify(value) });

export const nothing = (status: number): Answer => ({ status, body: "" });

export const refused = (status: number, message: string): Answer => ({
  status,
  body: JSON.stringify({ status, errorMessage: message }),
  error: message,
});

/** A bad or expired token: 401 and not a byte of body. */
export const UNAUTHORIZED: Answer = { status: 401, body: "", error: "unauthorized" };
