import { isJsonObject, type JsonObject, type ResourceName } from "#model";
import type { ReturnStream } from "#mapping";
import { DEFAULT_TOKEN, startSandbox, type Sandbox, type SandboxOptions } from "#sandbox";
import type { Service, ServiceContext } from "#service";
import { memoryLogger } from "../kit/logger.ts";
import { open, secrets } from "../service/stand-in.ts";

/** A sandbox, and the service as the lane sees it. */
export interface ReturnTenant extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly service: Service;
  readonly log: ReturnType<typeof memoryLogger>["lines"];
  /** GET requests of the resources since the last call, as path and query without the host. */
  asked(): string[];
}

export async function returnTenant(
  options: SandboxOptions = {},
  context: Partial<ServiceContext> = {},
): Promise<ReturnTenant> {
  const sandbox = await startSandbox(options);
  const given = { ...secrets, serviceToken: DEFAULT_TOKEN };
  const clock = options.clock === undefined ? {} : { clock: options.clock };
  const opened = open(sandbox.url, {}, { secrets: given, ...clock, ...context });
  let seen = 0;
  return {
    sandbox,
    service: opened.service,
    log: opened.log,
    asked: () => {
      const urls = sandbox.ledger.requests({ method: "GET" }).filter(({ number }) => number > seen);
      seen = urls.at(-1)?.number ?? seen;
      return urls.map(({ url }) => decodeURIComponent(url.replace("/restApi/v1/", "")));
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

export function customerOf(sandbox: Sandbox): number {
  return sandbox.seed("customer", [{ name: "Huber", customerId: "K-1" }])[0]!.id;
}

const LINES = {
  kind: "x",
  rounding: undefined,
  columns: [],
  map: () => Promise.resolve([]),
};

/** A stream of reports as the sync file describes it: approved, billable, with all lines. */
export function reportStream(changes: Partial<ReturnStream> = {}): ReturnStream {
  return {
    name: "reports",
    kind: "reports",
    resource: "svcDocument",
    of: undefined,
    to: { source: "erp" },
    answers: undefined,
    beginAt: undefined,
    corrections: "hold",
    everyMs: undefined,
    guard: undefined,
    columns: [],
    finalBy: "approved",
    reads: ["erpReferenceNumber", "customer", "approved", "billable", "canceled"],
    lines: [
      { ...LINES, each: "tasks.workLogs", reads: ["invoiceTime", "worker", "task.serviceType", "comment"] },
      { ...LINES, each: "tasks.materials", reads: ["amount", "materialItem"] },
      { ...LINES, each: "travelLogs", reads: ["distance", "worker"] },
    ],
    isWanted: ({ approved, billable, canceled }) =>
      Promise.resolve(approved === true && billable === true && canceled !== true),
    map: () => Promise.resolve([]),
    whenAccepted: { resource: "invoice", of: "svcDocument", set: { invoiceNumber: "document" } },
    fingerprint: "",
    ...changes,
  };
}

/** A lane's store that knows these subjects. */
export function knowing(subjects: readonly string[] = []) {
  const latest = (_stream: string, asked: readonly string[]) =>
    Promise.resolve(new Map(asked.filter((one) => subjects.includes(one)).map((one) => [one, true])));
  return { latest };
}

export function lists(record: JsonObject | undefined, path: string): JsonObject[] {
  let found = record === undefined ? [] : [record];
  for (const field of path.split("."))
    found = found.flatMap((one) => {
      const list = one[field];
      return Array.isArray(list) ? list.filter(isJsonObject) : [];
    });
  return found;
}

/** Requests without their `fields`, for lists of what was asked. */
export function brief(urls: readonly string[], resource?: ResourceName): string[] {
  return urls
    .filter((url) => resource === undefined || url.startsWith(resource))
    .map((url) => url.replace(/([?&])(fields|limit|offset|sortings)=[^&]*/g, "").replace(/^([^?&]*)&/, "$1?"));
}
