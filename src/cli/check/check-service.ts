import { isLoopback, systemClock, type Finding } from "#model";
import { openService, type Service } from "#service";
import type { Secrets, Settings } from "#settings";
import { version, type Logger } from "#telemetry";
import { attempt, attemptEach, type CheckedParts } from "./attempt.ts";
import { checkFields, checkFieldNames } from "./check-fields.ts";
import { checkMail } from "./check-mail.ts";
import { checkReturnFields } from "./check-return-fields.ts";

/** Checks the connection, the fields that streams write, and mail; `isProbe`: the tenant's dialect too. */
export async function checkService(
  { settings, secrets, syncFile: { streams, returns }, samples, logger, signal }: CheckedParts,
  isProbe: boolean,
): Promise<Finding[]> {
  const look = async () => {
    await using service = openUncached(settings.service, secrets, { logger });
    await service.ping(signal);
    const { url } = settings.service;
    const ok: Finding = { subject: "service", verdict: "ok", message: `${url} accepts the credentials` };
    const resources = [...new Set(streams.map(({ resource }) => resource))];
    const probed = isProbe ? await service.probe(resources, signal) : [];
    const fence = isProbe ? await attempt("service", () => checkFence(service), signal, "fence") : [];
    // A wrong dialect fails here too, but the findings of its probe must still be reported.
    const names = await attempt("service", () => checkFieldNames(streams, service, signal), signal, "names");
    const mail = await attempt("service", () => checkMail(streams, samples, service, signal), signal, "mail");
    const lookAt = (resource: (typeof resources)[number]) => checkFields(resource, streams, samples, service, signal);
    const fields = await attemptEach("service", resources, lookAt, signal, (resource) => `fields of ${resource}`);
    const lookAtReads = (stream: (typeof returns)[number]) => checkReturnFields(stream, service, signal);
    const reads = await attemptEach("service", returns, lookAtReads, signal, ({ name }) => `returns ${name}`);
    return [ok, ...plainFindings(url), ...probed, ...fence, ...names, ...mail, ...fields, ...reads];
  };
  return attempt("service", look, signal);
}

/** Checks what makes the service refuse a write that a paused daemon sends after another one took over. */
async function checkFence(service: Pick<Service, "proveFence">): Promise<Finding[]> {
  return [{ subject: "fence", verdict: "ok", message: await service.proveFence() }];
}

function plainFindings(address: string): Finding[] {
  const { protocol, hostname } = new URL(address);
  if (protocol !== "http:" || isLoopback(hostname)) return [];
  const message = `the connection to ${hostname} is not encrypted: credentials and records can be read on the way`;
  return [{ subject: "service", verdict: "warning", message, remedy: "Write https in SERVICE_URL." }];
}

/** Opens the service for one look: names of statuses and tags are read now, whatever a store remembers. */
export function openUncached(
  settings: Settings["service"],
  secrets: Secrets,
  context: { readonly logger: Logger; readonly hide?: (...texts: string[]) => void },
): Service {
  const referenceCache = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };
  return openService(settings, secrets, { ...context, clock: systemClock, referenceCache, version });
}
