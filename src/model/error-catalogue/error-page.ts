/** What a person should know about an error code. */
export interface ErrorEntry {
  /** What happened and what it means, in Markdown. */
  readonly meaning: string;
  /** Whether and when it is to be expected, in Markdown. */
  readonly normal: string;
  /** What to do, in a sentence or two. `{record}` and `{stream}` are filled in, quoted for a shell; commands are in double quotes. */
  readonly remedy: string;
  /** What else helps, in Markdown: only the documentation has it. */
  readonly more?: string;
  /** It is retried until it succeeds, without anyone's help. */
  readonly heals?: true;
}

/** The codes of one part of svcsync, in the order in which the documentation explains them. */
export interface ErrorPage<Code extends `E_${string}` = `E_${string}`> {
  readonly title: string;
  readonly intro?: string;
  readonly entries: Readonly<Record<Code, ErrorEntry>>;
}

/** Checks a page, and keeps its codes as types. */
export function errorPage<Code extends `E_${string}`>(page: ErrorPage<Code>): ErrorPage<Code> {
  return page;
}
