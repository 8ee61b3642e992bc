/** Who does something to streams or records, through what, and the reason that they give. */
export interface Actor {
  /** A user of the page, or of the operating system. */
  readonly name: string;
  readonly via: "cli" | "page" | "api";
  readonly why?: string | undefined;
}
