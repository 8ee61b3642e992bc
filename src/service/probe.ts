import type { Clock, Finding, ResourceName } from "#model";
import type { Lists, ReadParts } from "./lists.ts";
import type { Scan } from "./scan.ts";

interface ProbeParts extends ReadParts {
  readonly lists: Lists;
  readonly scan: Scan;
  readonly clock: Clock;
}

export class Probe {
  readonly #parts: ProbeParts;

  constructor(parts: ProbeParts) {
    this.#parts = parts;
  }

  async ping(signal: AbortSignal): Promise<void> {
    const { transport, paths } = this.#parts;
    const url = paths.collection("customer", {});
    await transport.send({
      method: "GET",
      resource: "customer",
      url,
      query: { limit: "1", fields: "id" },
      repeat: "quick",
      signal,
    });
  }

  async run(_resources: readonly ResourceName[], _signal: AbortSignal): Promise<Finding[]> {
    return [];
  }
}
