/** A file that cannot be used at all. `line` is set if one line is to blame. */
export class FileFault extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number, cause?: unknown) {
    super(message, { cause });
    this.line = line;
  }
}

/** One line of a file that cannot be used. */
export interface BadLine {
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}
