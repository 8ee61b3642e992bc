import type { Stream } from "#mapping";
import type { Finding, StreamName } from "#model";
import { mailingOf, type Service } from "#service";
import type { StreamSample } from "./sample.ts";

const REMEDY =
  "Switch it off in the service before the first load, or load in a quiet hour: each record that is created, or gets such a status, sends mail.";

/** Names the statuses and fields that make the service send mail to customers: a first load may write thousands of them. */
export async function checkMail(
  streams: readonly Stream[],
  samples: ReadonlyMap<StreamName, StreamSample>,
  service: Pick<Service, "list">,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const stream of streams) {
    const { flag, status } = await mailingOf(service, stream, signal);
    const warn = (message: string) =>
      findings.push({ subject: `stream ${stream.name}, mail`, verdict: "warning", message, remedy: REMEDY });
    const values = (samples.get(stream.name)?.records ?? [])
      .flatMap(({ fields }) => fields)
      .filter(({ name }) => name === flag)
      .map(({ value }) => value);
    const isNever = values.length > 0 && values.every((value) => value.kind === "value" && value.value !== true);
    if (flag !== undefined && !isNever) warn(`${flag}: true makes the service send a message to the customer`);
    if (status?.mailing === undefined && status !== undefined)
      warn(
        `${status.field}: whether a status makes the service send mail (sendCustomerMail) cannot be known, because the user may not read the statuses`,
      );
    else if (status?.mailing && status.mailing.size > 0)
      warn(
        `${status.field}: these statuses make the service send mail to the customer (sendCustomerMail): ${[...status.mailing.values()].join(", ")}`,
      );
  }
  return findings;
}
