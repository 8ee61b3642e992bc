import type { z } from "zod";
import type { ToolCall } from "./call.ts";

/** One thing that an assistant can read. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Whether it also asks systems outside: the ERP and the service. */
  readonly isRemote: boolean;
  /** Resolves to what the command prints with `--json`. `given` has passed `input`. */
  readonly read: (given: unknown, call: ToolCall) => Promise<object>;
}

/** Defines a tool whose `read` gets what its `input` accepts. */
export function tool<Input extends z.ZodObject>({
  read,
  isRemote = false,
  ...facts
}: Pick<Tool, "name" | "title" | "description"> & {
  readonly input: Input;
  readonly isRemote?: boolean;
  readonly read: (given: z.output<Input>, call: ToolCall) => Promise<object>;
}): Tool {
  return { ...facts, isRemote, read: async (given, call) => read(facts.input.parse(given), call) };
}
