import { createInterface } from "node:readline/promises";
import { InvalidArgumentError, Option } from "commander";
import { hashPassword } from "#web";
import type { Registration } from "../../command-context.ts";
import { Interview } from "../../interview.ts";
import { exitCode, UsageError, type Io } from "../../output/io.ts";

const charactersMin = 12;

interface PagePasswordOptions {
  readonly role: "read" | "act";
}

export const registerPagePassword: Registration = (cli) =>
  cli
    .command("page-password", "Make a line for PAGE_USERS: a name, a role and the hash of a password")
    .argument("<name>", "the name to log in with", loginName)
    .addOption(new Option("--role <role>", "what this login may do").choices(["read", "act"]).default("act"))
    .action(cli.action(pagePassword));

function loginName(name: string): string {
  if (/^[\w.@+-]+$/.test(name)) return name;
  throw new InvalidArgumentError("expected letters, digits and . @ + - _");
}

/** `svcsync page-password anna`: asks for a password, or reads the first line of a pipe, and prints only its hash. */
async function pagePassword(name: string, { role }: PagePasswordOptions, io: Io): Promise<number> {
  const password = io.isTerminal ? await asked(name, io) : await firstLine(io);
  if (password === undefined) throw new UsageError("No password was given.");
  const wrong = objection(password);
  if (wrong !== undefined) throw new UsageError(`The password is too short: ${wrong}.`);
  io.ownWords.write(`${name}:${role}:${await hashPassword(password)}\n`);
  return exitCode.ok;
}

async function asked(name: string, io: Io): Promise<string | undefined> {
  if (io.stdin === undefined) return undefined;
  using interview = new Interview(io, io.stdin);
  return interview.ask({ text: `Password of ${name} for the page`, isSecret: true, objection });
}

/** Without a prompt, so that the output is only the hash. */
async function firstLine({ stdin }: Io): Promise<string | undefined> {
  if (stdin === undefined) return undefined;
  for await (const line of createInterface({ input: stdin })) return line.trim();
  return undefined;
}

function objection(password: string): string | undefined {
  return password.length < charactersMin ? `expected at least ${charactersMin} characters` : undefined;
}
