import { SyncError, type Clock, type Finding, type JsonObject, type ResourceName } from "#model";
import { BRAND_SIGN } from "./brand.ts";
import { IMPOSSIBLE } from "./finder.ts";
import type { ReadParts } from "./lists.ts";
import { found, notProbed, type Ask } from "./probe-finding.ts";
import { probeLists } from "./probe-lists.ts";
import { probeResource } from "./probe-resource.ts";
import { pageIn } from "./reading.ts";
import type { Exchange } from "./transport.ts";

interface ProbeParts extends ReadParts {
  readonly clock: Clock;
}

/** Resources that every tenant has, in case none is mapped that has records. */
const COMMON: readonly ResourceName[] = ["customer", "user", "priority", "ticketStatus"];
const SKEW_ALLOWED_MS = 60_000;

/** Looks at a tenant by reads alone and compares it with what is configured. */
export class Probe {
  readonly #parts: ProbeParts;

  constructor(parts: ProbeParts) {
    this.#parts = parts;
  }

  /** One small read: address, credentials and network hold when it succeeds. */
  async ping(signal: AbortSignal): Promise<void> {
    await this.#ask(signal)("customer", { limit: "1", fields: "id" });
  }

  /** Never writes. What cannot be probed is a warning of its own; only an abort throws. */
  async run(resources: readonly ResourceName[], signal: AbortSignal): Promise<Finding[]> {
    const ask = this.#ask(signal);
    const { dialect, brand } = this.#parts;
    const findings: Finding[] = [];
    const take = async (subject: string, check: () => Promise<readonly Finding[]>) => {
      try {
        findings.push(...(await check()));
      } catch (thrown) {
        signal.throwIfAborted();
        findings.push(notProbed(subject, thrown));
      }
    };
    const first = await this.#greeting(ask, signal);
    findings.push(...first.findings);
    if (!first.reached) return findings;
    const usable = await this.#populated(ask, [...resources, ...COMMON]);
    await take("lists", () => probeLists(ask, usable, dialect, brand));
    await take("brand", () => this.#brand(ask));
    for (const resource of resources) await take(resource, () => probeResource(ask, resource, this.#parts));
    findings.push(
      found("create answer", dialect.createAnswer, undefined, "DIALECT_CREATE_ANSWER", "a create is not probed"),
      found("array update", dialect.arrayUpdate, undefined, "DIALECT_ARRAY_UPDATE", "its first use is watched"),
    );
    return findings;
  }

  async #greeting(ask: Ask, signal: AbortSignal): Promise<{ reached: boolean; findings: Finding[] }> {
    try {
      const { headers } = await ask("customer", { limit: "1", fields: "id" });
      const serverNow = Date.parse(headers.date ?? "");
      const skewMs = Math.abs(serverNow - this.#parts.clock.now());
      const reached: Finding = { subject: "service", verdict: "ok", message: "address and credentials hold" };
      if (!(skewMs > SKEW_ALLOWED_MS)) return { reached: true, findings: [reached] };
      const message = `the clocks differ by ${Math.round(skewMs / 1000)} seconds`;
      const remedy = "set this machine's clock by a time server";
      return { reached: true, findings: [reached, { subject: "clock", verdict: "warning", message, remedy }] };
    } catch (thrown) {
      signal.throwIfAborted();
      // A refused list of customers still proves address and credentials.
      if (thrown instanceof SyncError && thrown.code === "E_SERVICE_REFUSED") return { reached: true, findings: [] };
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      const remedy = "correct SERVICE_URL and the credentials, or the network";
      return { reached: false, findings: [{ subject: "service", verdict: "problem", message, remedy }] };
    }
  }

  /** The first resource with at least two records: paging cannot be seen on fewer. */
  async #populated(ask: Ask, candidates: readonly ResourceName[]): Promise<ResourceName | undefined> {
    const { dialect, brand, paths } = this.#parts;
    for (const resource of new Set(candidates)) {
      if (paths.isNested(resource)) continue;
      const exchange = await ask(resource, { limit: "2", fields: "id" }).catch(() => undefined);
      if ((pageIn(exchange?.body, resource, dialect, brand)?.rows.length ?? 0) >= 2) return resource;
    }
    return undefined;
  }

  /** Tickets name the vendor's word in their own properties. */
  async #brand(ask: Ask): Promise<Finding[]> {
    const { dialect, brand } = this.#parts;
    const { body } = await ask("ticket", { limit: "1", fields: "*" });
    const ticket: JsonObject = pageIn(body, "ticket", dialect, brand)?.rows[0] ?? {};
    const words = Object.keys(ticket).flatMap((name) => BRAND_SIGN.exec(name)?.[1] ?? []);
    if (words.length === 0) return [];
    return [found("brand", dialect.brand, words.includes("svc") ? dialect.brand : words[0], "DIALECT_BRAND")];
  }

  #ask(signal: AbortSignal): Ask {
    const { transport, paths } = this.#parts;
    const send = (url: string, resource: ResourceName, query: Record<string, string>): Promise<Exchange> =>
      transport.send({ method: "GET", resource, url, query, repeat: "quick", signal });
    const ask = (resource: ResourceName, query: Record<string, string>) =>
      send(paths.collection(resource, {}), resource, query);
    return Object.assign(ask, {
      path: (path: string, resource: ResourceName, query: Record<string, string>) =>
        send(paths.address(path), resource, query),
      record: (resource: ResourceName, id: number, fields: string) =>
        send(paths.record(resource, id, {}), resource, { fields }),
      guess: (resource: ResourceName, data: JsonObject) =>
        transport.send({
          method: "POST",
          resource,
          url: `${paths.collection(resource, {})}/guess`,
          body: [{ eid: IMPOSSIBLE, data }],
          repeat: "quick",
          signal,
        }),
    });
  }
}
