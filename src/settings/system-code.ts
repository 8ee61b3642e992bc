/** The operating system's word for what went wrong: ENOENT, EACCES, EISDIR. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
