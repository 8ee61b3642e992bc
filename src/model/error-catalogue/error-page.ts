/** The explanation of an error code for people. */
export interface ErrorEntry {
  /** What happened and what it means, in Markdown. */
  readonly meaning: string;
  /** Whether and when to expect it, in Markdown. */
  readonly normal: string;
  /** What to do, in a sentence or two. `{record}` and `{stream}` are filled in, quoted for a shell; commands are in double quotes. */
  readonly remedy: string;
  /** Further help, in Markdown, shown only in the documentation. */
  readonly more?: string;
  /** Whether svcsync retries until it succeeds, without a person. */
  readonly heals?: true;
}

/** The codes of one part of svcsync, in the order of the documentation. */
export interface ErrorPage<Code extends `E_${string}` = `E_${string}`> {
  readonly title: string;
  readonly intro?: string;
  readonly entries: Readonly<Record<Code, ErrorEntry>>;
}

/** Checks a page and preserves its codes as types. */
export function errorPage<Code extends `E_${string}`>(page: ErrorPage<Code>): ErrorPage<Code> {
  return page;
}
