import type { Logger } from "#telemetry";
import { resourceFacts } from "../catalogue/catalogue.ts";
import type { BackwardReads } from "../contract.ts";
import type { CustomFields } from "../dialect/custom-fields.ts";
import { Paths } from "../dialect/paths.ts";
import { Lists } from "../reads/lists.ts";
import type { MergeQuestion } from "../reads/merges.ts";
import { Records, type ReadDeps } from "../reads/records.ts";
import { behindOthers } from "../transport/transport.ts";
import { Filters } from "./filters.ts";
import { LinkReads } from "./links.ts";
import { listsOf } from "./report-lines.ts";
import { SeveralReads } from "./several.ts";
import { Wholes } from "./wholes.ts";

interface BackwardContext {
  readonly url: string;
  readonly customFields: CustomFields;
  readonly merges: MergeQuestion;
  /** The service's clock. */
  readonly now: () => number;
  readonly logger: Logger;
}

/** Builds the reads of the lane back, on requests that give way to all others. */
export function openBackward(
  given: ReadDeps,
  { url, customFields, merges, now, logger }: BackwardContext,
): BackwardReads {
  const deps = { ...given, transport: behindOthers(given.transport) };
  const below = belowRecords(deps, url);
  const records = new Records(deps, customFields, merges);
  const lists = new Lists(deps, customFields, records);
  const nested = new Lists(below, customFields, new Records(below, customFields, merges));
  const filters = new Filters(lists, now, logger);
  const links = new LinkReads(lists, records);
  const several = new SeveralReads(lists);
  const wholes = new Wholes({ records, lists: nested });
  return {
    list: (...args) => lists.pages(...args),
    read: (...args) => records.read(...args),
    several: (...args) => several.read(...args),
    whole: (...args) => wholes.read(...args),
    obeys: (...args) => filters.works(...args),
    filtered: (...args) => filters.list(...args),
    distrust: (...args) => void filters.distrust(...args),
    linked: (...args) => links.find(...args),
  };
}

/** The same tenant, with the lines of a service record below it: only there are they listed record by record. */
function belowRecords(deps: ReadDeps, url: string): ReadDeps {
  const children = ["svcDocument", "svcDocumentTask"].flatMap((resource) => Object.values(listsOf(resource)));
  const paths = { ...deps.dialect.paths };
  for (const child of children) {
    const path = resourceFacts(child).otherPath;
    if (path !== undefined && !(paths[child] ?? "").includes("{")) paths[child] = path;
  }
  const dialect = { ...deps.dialect, paths };
  return { ...deps, dialect, paths: new Paths(url, dialect, deps.brand, () => Promise.resolve(undefined)) };
}
