import { DEFAULT_ACCOUNT, DEFAULT_TOKEN, startSandbox, type SandboxOptions } from "#sandbox";
import type { Registration } from "../../command-context.ts";
import { exitCode, type Io } from "../../output/io.ts";
import { sandboxOptionsOf, withSandboxOptions, type SandboxArguments } from "../../sandbox-options.ts";
import { whenAborted } from "#model";

export const registerSandbox: Registration = (cli) =>
  withSandboxOptions(
    cli.command("sandbox", "Run a stand-in for the service: a real HTTP server with records in memory"),
  ).action(cli.action((given: SandboxArguments, io: Io) => sandbox(sandboxOptionsOf(given), io)));

/** `svcsync sandbox`: runs the stand-in for the service until it is stopped. */
async function sandbox(options: SandboxOptions, io: Io): Promise<number> {
  await using running = await startSandbox(options);
  const { username } = options.accounts?.[0] ?? DEFAULT_ACCOUNT;
  const isDefault =
    username === DEFAULT_ACCOUNT.username && options.accounts?.[0]?.password === DEFAULT_ACCOUNT.password;
  const token = options.tokens?.[0]?.token ?? DEFAULT_TOKEN;
  io.ownWords.write(
    `${[
      `The service listens at ${running.url}`,
      `  token   ${token}`,
      `  login   ${username} / ${isDefault ? DEFAULT_ACCOUNT.password : "(the password you gave)"}`,
      ...running.faults.list().map(({ fault }) => `  fault   ${JSON.stringify(fault)}`),
      `Records, ledger and faults: ${running.controlUrl}/__sandbox/`,
      "",
      "Try it:",
      `  curl -H 'Authorization: Bearer ${token}' '${running.url}/restApi/v1/priority?fields=id,name'`,
      "Use it:",
      `  SERVICE_URL=${running.url} SERVICE_TOKEN=${token} svcsync check --service`,
      "Ctrl-C ends it.",
    ].join("\n")}\n`,
  );
  await whenAborted(io.signal);
  return exitCode.ok;
}
