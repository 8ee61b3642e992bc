import { messageOf, SyncError, type Finding, type JsonObject, type ResourceName } from "#model";
import { commonResources } from "../catalogue/catalogue.ts";
import { BRAND_SIGN } from "../dialect/brand.ts";
import { serviceIdOf } from "../dialect/values.ts";
import { pageIn, recordIn } from "../reads/reading.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import type { Exchange } from "../transport/transport.ts";
import { found, notProbed, unlessRefused, type ProbeRequests, type ProbeDeps } from "./probe-finding.ts";
import { probeLists, type Sample } from "./probe-lists.ts";
import { probeResource } from "./probe-resource.ts";

const SKEW_ALLOWED_MS = 60_000;

/** Examines a tenant by reads alone and compares it with the settings. */
export class Probe {
  readonly #deps: ProbeDeps;

  constructor(deps: ProbeDeps) {
    this.#deps = deps;
  }

  /** One small read. It proves address, credentials and network, even when this user may not read that list. */
  async ping(signal: AbortSignal): Promise<void> {
    try {
      await this.#ask(signal)("customer", { limit: "1", fields: "id" });
    } catch (thrown) {
      if (!(thrown instanceof ServiceRefusal) || thrown.status !== 403) throw thrown;
    }
  }

  /** Never writes. A part that cannot be probed becomes a warning; only an abort throws. */
  async run(resources: readonly ResourceName[], signal: AbortSignal): Promise<Finding[]> {
    const ask = this.#ask(signal);
    const { dialect, brand } = this.#deps;
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
    // The mapped resources may have no records.
    const samples = await this.#samples(ask, [...resources, ...commonResources]);
    await take("lists", () => probeLists(ask, samples, dialect, brand));
    await take("record path", () => probeRecordPath(ask, samples, this.#deps));
    const brandSeen = await this.#brandSeen(ask);
    const brandAt = findings.length;
    let hasBranded404 = false;
    for (const resource of resources)
      await take(resource, async () => {
        const seen = await probeResource(ask, resource, { ...this.#deps, brandSeen });
        hasBranded404 ||= seen.isBranded404 === true;
        return seen.findings;
      });
    const isBrandDoubtful = hasBranded404 && brandSeen === undefined;
    // The brand comes before findings that depend on it.
    findings.splice(brandAt, 0, isBrandDoubtful ? brandDoubt(dialect.brand) : brandFinding(dialect.brand, brandSeen));
    findings.push(
      found("create answer", dialect.createAnswer, undefined, "DIALECT_CREATE_ANSWER", "a create is not probed"),
      found("array update", dialect.arrayUpdate, undefined, "DIALECT_ARRAY_UPDATE", "its first use is watched"),
    );
    return findings;
  }

  async #greeting(ask: ProbeRequests, signal: AbortSignal): Promise<{ reached: boolean; findings: Finding[] }> {
    try {
      const { headers } = await ask("customer", { limit: "1", fields: "id" });
      const serverNow = Date.parse(headers.date ?? "");
      const skewMs = Math.abs(serverNow - this.#deps.clock.now());
      const reached: Finding = { subject: "service", verdict: "ok", message: "address and credentials are right" };
      return { reached: true, findings: [reached, ...clockFinding(skewMs)] };
    } catch (thrown) {
      signal.throwIfAborted();
      // Even a refused list of customers proves address and credentials.
      if (thrown instanceof SyncError && thrown.code === "E_SERVICE_REFUSED") return { reached: true, findings: [] };
      const remedy = "correct SERVICE_URL and the credentials, or the network";
      return {
        reached: false,
        findings: [{ subject: "service", verdict: "problem", message: messageOf(thrown), remedy }],
      };
    }
  }

  /** The first rows of readable lists. Paging can be probed only on a list of at least two records. */
  async #samples(ask: ProbeRequests, candidates: readonly ResourceName[]): Promise<Sample[]> {
    const { dialect, brand, paths } = this.#deps;
    const samples: Sample[] = [];
    for (const resource of new Set(candidates)) {
      if (paths.isNested(resource)) continue;
      const exchange = await ask(resource, { limit: "2", fields: "id" }).catch(() => undefined);
      const page = pageIn(exchange?.body, resource, dialect, brand);
      const [first] = page?.rows ?? [];
      if (page === undefined || first === undefined) continue;
      const rowCount = page.rows.length;
      const sample = {
        resource,
        body: exchange?.body,
        rowCount,
        total: page.total ?? rowCount,
        id: serviceIdOf(first["id"]),
      };
      samples.push(sample);
    }
    return samples;
  }

  /** Some property names of a ticket begin with the vendor's brand. */
  async #brandSeen(ask: ProbeRequests): Promise<string | undefined> {
    const { dialect, brand } = this.#deps;
    const exchange = await unlessRefused(ask("ticket", { limit: "1", fields: "*" }));
    const ticket: JsonObject = pageIn(exchange?.body, "ticket", dialect, brand)?.rows[0] ?? {};
    const words = Object.keys(ticket).flatMap((name) => BRAND_SIGN.exec(name)?.[1] ?? []);
    return words.includes("svc") ? dialect.brand : words[0];
  }

  #ask(signal: AbortSignal): ProbeRequests {
    const { transport, paths } = this.#deps;
    const send = (url: string, resource: ResourceName, query: Record<string, string>): Promise<Exchange> =>
      transport.send({ method: "GET", resource, url, query, repeat: "quick", signal });
    const ask = async (resource: ResourceName, query: Record<string, string>) =>
      send(await paths.collection(resource, {}), resource, query);
    return Object.assign(ask, {
      path: (path: string, resource: ResourceName, query: Record<string, string>) =>
        send(paths.address(path), resource, query),
    });
  }
}

function brandFinding(configured: string, seen: string | undefined): Finding {
  return found("brand", configured, seen, "DIALECT_BRAND", "no ticket that shows it");
}

/** Nothing shows the brand, and every path that depends on it is unknown: a stronger finding than an unseen brand. */
function brandDoubt(configured: string): Finding {
  const message = `configured ${configured}, and the tenant knows no resource whose path begins with it`;
  const remedy =
    "most likely DIALECT_BRAND: set it to the word that the tenant's API has in its paths, then check again";
  return { subject: "brand", verdict: "problem", message, remedy };
}

function clockFinding(skewMs: number): Finding[] {
  if (Number.isNaN(skewMs)) return [];
  const message = `the clocks differ by ${Math.round(skewMs / 1000)} seconds`;
  if (skewMs <= SKEW_ALLOWED_MS) return [{ subject: "clock", verdict: "ok", message }];
  return [{ subject: "clock", verdict: "warning", message, remedy: "set this machine's clock by a time server" }];
}

/** Address formats of one record that APIs commonly use. */
const SHAPES = [
  "{resource}/{id}",
  "{resource}/id/{id}",
  "{resource}?id={id}",
  "{resource}({id})",
  "{resource}/get/{id}",
];

/**
 * Finds the address of a record: the configured format, or else a common one. A format counts only if it returns that
 * very record.
 */
async function probeRecordPath(
  ask: ProbeRequests,
  samples: readonly Sample[],
  { dialect }: ProbeDeps,
): Promise<Finding[]> {
  const configured = dialect.recordPath;
  const sample = samples.find(({ id }) => id !== undefined);
  if (sample?.id === undefined) return [found("record path", configured, undefined, "DIALECT_RECORD_PATH")];
  const { resource, id } = sample;
  for (const shape of new Set([configured, ...SHAPES])) {
    const path = shape.replace("{resource}", dialect.paths[resource] ?? resource).replace("{id}", String(id));
    const exchange = await unlessRefused(ask.path(path, resource, { fields: "id" }));
    if (exchange !== undefined && serviceIdOf(recordIn(exchange.body, resource)?.["id"]) === id)
      return [found("record path", configured, shape, "DIALECT_RECORD_PATH")];
  }
  const message = `${resource} ${id} is in the list, but is not found at ${[...new Set([configured, ...SHAPES])].join(", ")}`;
  const remedy = "ask the vendor for the path of one record and set DIALECT_RECORD_PATH";
  return [{ subject: "record path", verdict: "problem", message, remedy }];
}
