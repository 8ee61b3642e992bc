import { z } from "zod";

const failure = z.object({ stderr: z.string().default(""), stdout: z.string().default(""), message: z.string() });

/** Why a program failed: the last lines that it printed, or the error's own text. */
export function reasonOf(thrown: unknown): string {
  const read = failure.safeParse(thrown);
  if (!read.success) return String(thrown);
  const { stderr, stdout, message } = read.data;
  const said = [stderr, stdout].find((text) => text.trim() !== "")?.trim();
  return said === undefined ? message : said.split("\n").slice(-5).join("\n");
}
