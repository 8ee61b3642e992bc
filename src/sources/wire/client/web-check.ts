import { errorFacts, type Finding } from "#model";
import type { ServerClock } from "./server-clock.ts";
import type { WebClient } from "./web-client.ts";

const SKEW_LIMIT_MS = 60_000;

/** Runs one probe and turns an error into a finding. `remedies` replace the remedies of some error codes. */
export async function finding(
  subject: string,
  probe: () => Promise<string>,
  remedies: Readonly<Record<string, string>> = {},
): Promise<Finding> {
  try {
    return { subject, verdict: "ok", message: await probe() };
  } catch (thrown) {
    const { code, message } = errorFacts(thrown);
    const remedy = remedies[code];
    return {
      subject,
      verdict: "problem",
      message: `${code}: ${message}`,
      code,
      ...(remedy === undefined ? {} : { remedy }),
    };
  }
}

/** Checks whether the server answers `probe`, and compares its clock with ours. Without an answer nothing is reported about the clock. */
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
