import { messageOf } from "#model";
import { InvalidArgumentError, type Command } from "commander";
import {
  accountFromText,
  DEFAULT_ACCOUNT,
  faultFromText,
  faultMembers,
  switchFromText,
  switchSpellings,
  tokenFromText,
  type Account,
  type Fault,
  type SandboxOptions,
  type Switches,
} from "#sandbox";
import { port } from "./arguments.ts";

/** The arguments of the command line, before they are interpreted together. */
export interface SandboxArguments {
  readonly host?: string;
  readonly port: number;
  readonly controlPort: number;
  readonly data?: string;
  /** False for `--no-reference-data`. */
  readonly referenceData: boolean;
  readonly account?: readonly Account[];
  readonly token?: readonly string[];
  readonly switch?: Partial<Switches>;
  readonly fault?: readonly Fault[];
  readonly latency?: number;
}

/** Adds the options of `svcsync sandbox`, and a help whose lines can be tried. */
export function withSandboxOptions(command: Command): Command {
  return command
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <port>", "port of the service, 0 for any free one", port, 0)
    .option("--control-port <port>", "port of the sandbox's page, ledger and fault control", port, 0)
    .option("--data <file>", "keep the records in this file")
    .option("--no-reference-data", "start without statuses, priorities, tags and users")
    .option(
      "--account <account>",
      "who may log in: user:password, user:password:code, or JSON (repeatable)",
      listed(accountFromText),
    )
    .option("--token <token>", "a static token, of the first account or TOKEN@USER (repeatable)", listed(String))
    .option("--switch <name=value>", "a way in which this tenant differs (repeatable)", laidOver(switchFromText))
    .option("--fault <fault>", "a fault to simulate, as KIND,member=value or JSON (repeatable)", listed(faultFromText))
    .option("--latency <milliseconds>", "delay every request by this long", milliseconds)
    .addHelpText("after", () => helpText);
}

/** Interprets the arguments together. */
export function sandboxOptionsOf(given: SandboxArguments): SandboxOptions {
  const { latency, data, host, account: accounts = [DEFAULT_ACCOUNT], token, fault = [] } = given;
  const slow: readonly Fault[] = latency === undefined ? [] : [{ kind: "latency", ms: latency }];
  return {
    ...given.switch,
    ...(host === undefined ? {} : { host }),
    ...(data === undefined ? {} : { data }),
    port: given.port,
    controlPort: given.controlPort,
    referenceData: given.referenceData,
    accounts,
    ...(token === undefined ? {} : { tokens: token.map((text) => tokenFromText(text, accounts)) }),
    faults: [...slow, ...fault],
  };
}

const helpText = `
Faults, each as --fault KIND,MEMBER=VALUE or as JSON; members with ? may be left out:
${table(faultMembers())}
  each can be aimed: resource, method, path (* for anything), skip, every, probability (with seed), count

Switches, each as --switch NAME=VALUE:
${table(switchSpellings())}

Examples:
  svcsync sandbox --port 8080 --control-port 8081
      a service at a fixed address; http://127.0.0.1:8081/__sandbox/ shows records, ledger and faults
  svcsync sandbox --latency 80 --fault tooMany,every=20,retryAfterSeconds=2
      a slow service that answers every twentieth request with "busy"
  svcsync sandbox --fault cut,when=after,method=POST,resource=customer,probability=0.1,seed=7
      one create in ten is carried out, but its answer is lost
  svcsync sandbox --fault '{"kind":"serverError","status":503,"when":"before","count":30}'
      down for the first thirty requests
  svcsync sandbox --switch createAnswer=location --switch listWrapper=array --switch brand=acme
      a tenant of another dialect; "svcsync check --service" lists the settings it needs
  svcsync sandbox --account anna:secret --token anna-token
      an account and a token of your own
`;

function table(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`.trimEnd()).join("\n");
}

function listed<Value>(read: (text: string) => Value) {
  return (text: string, before: readonly Value[] = []): readonly Value[] => [...before, understood(read, text)];
}

function laidOver<Value extends object>(read: (text: string) => Value) {
  return (text: string, before?: Value): Value => ({ ...before, ...understood(read, text) });
}

/** Reports a wrong option as a usage error that names it. */
function understood<Value>(read: (text: string) => Value, text: string): Value {
  try {
    return read(text);
  } catch (thrown) {
    throw new InvalidArgumentError(messageOf(thrown));
  }
}

function milliseconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError("expected whole milliseconds");
  return Number(text);
}
