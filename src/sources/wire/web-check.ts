import { errorFacts, type Finding } from "#model";
import type { ServerClock } from "./server-clock.ts";
import type { WebClient } from "./web-client.ts";

const SKEW_LIMIT_MS = 60_000;

const REMEDIES: Readonly<Record<string, string>> = {
  E_SOURCE_UNREACHABLE: "Check the source's `url`, the network and, for a private authority, `ca_file`.",
  E_SOURCE_LOGIN: "Check the source's `auth`: the values come from the environment as ${NAME}.",
  E_SOURCE_FORBIDDEN: "Give the user the right to read this in the ERP.",
  E_SOURCE_NOT_FOUND: "Check the source's `url` and the stream's name of the table, spelt as the ERP spells it.",
  E_SOURCE_ORIGIN: "If the ERP moved, set the source's `url` to the address that the message names.",
  E_SOURCE_TOO_LARGE: "Lower the stream's `size`, or raise the source's `answer_limit_mb`.",
  E_SOURCE_ENCODING: "Have the ERP, or the proxy before it, declare the encoding that it sends.",
  E_SOURCE_REQUEST:
    "Correct the name of the field or the table in the sync file: mostly the ERP has none of that name.",
  E_SOURCE_FILTER_IGNORED: "Check `changed`, its format and `timezone`; without a working filter leave `changed` out.",
  E_SOURCE_STAMP: "Check `changed` and its format.",
  E_SOURCE_KEY: "Check `key`: every row must have it.",
  E_SOURCE_ROWS: "Check `rows`: the path to the list in the answer.",
};

/** Runs one probe and puts what it throws into a finding; a probe that ends well gives its own message. */
export async function finding(
  subject: string,
  probe: () => Promise<string>,
  remedies: Readonly<Record<string, string>> = REMEDIES,
): Promise<Finding> {
  try {
    return { subject, verdict: "ok", message: await probe() };
  } catch (thrown) {
    const { code, message } = errorFacts(thrown);
    const remedy = remedies[code];
    return { subject, verdict: "problem", message: `${code}: ${message}`, ...(remedy === undefined ? {} : { remedy }) };
  }
}

/** Whether the other side answers `probe`, and what its clock says beside ours: nothing, where no answer came. */
export async function reachFindings(
  subject: string,
  { serverClock, plainHost }: WebClient,
  probe: () => Promise<string>,
): Promise<Finding[]> {
  const reached = await finding(subject, probe);
  const plain = plainHost === undefined ? [] : [plainFinding(subject, plainHost)];
  const silent = reached.verdict === "problem" && serverClock.offsetMs === undefined;
  return [reached, ...(silent ? [] : [clockFinding(`${subject}: clock`, serverClock)]), ...plain];
}

function plainFinding(subject: string, host: string): Finding {
  return {
    subject: `${subject}: encryption`,
    verdict: "warning",
    message: `the connection to ${host} is not encrypted: credentials and records can be read on the way`,
    remedy: "Write https in the source's `url`, or keep to a network that you trust.",
  };
}

function clockFinding(subject: string, clock: ServerClock): Finding {
  const offset = clock.offsetMs;
  if (offset === undefined)
    return {
      subject,
      verdict: "warning",
      message: "the answers carry no Date header; this machine's clock bounds the polls",
      remedy: "Keep both clocks set by NTP, or widen `margin`.",
    };
  const seconds = Math.round(offset / 1000);
  if (Math.abs(offset) < SKEW_LIMIT_MS)
    return { subject, verdict: "ok", message: `the ERP's clock is ${seconds} s ahead of ours` };
  return {
    subject,
    verdict: "warning",
    message: `the ERP's clock is ${seconds} s ahead of ours; polls follow the ERP's clock`,
    remedy: "Set the clocks of both machines by NTP.",
  };
}
