/** An answer before it is sent. */
export interface ApiResponse {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The error message of a refusal, for the ledger. */
  readonly error?: string;
}

/** The service refuses a request. Becomes `{ status, errorMessage }`; never a bug of the sandbox. */
export class RequestRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

export const json = (value: unknown): ApiResponse => ({ status: 200, body: JSON.stringify(value) });

export const nothing = (status: number): ApiResponse => ({ status, body: "" });

export const refusalAnswer = (status: number, message: string): ApiResponse => ({
  status,
  body: JSON.stringify({ status, errorMessage: message }),
  error: message,
});

/** An invalid or expired token: 401 with an empty body. */
export const UNAUTHORIZED: ApiResponse = { status: 401, body: "", error: "unauthorized" };
