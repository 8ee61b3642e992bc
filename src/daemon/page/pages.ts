import { RetryError, type Binding } from "#model";
import { namedChannels } from "#notify";
import { notedGroups, readReturns, readUpkeep, recordOfReturn } from "#operator";
import { heldDeletions, recordSides, recordTitle, streamObstacles, streamStatus, type RecordSides } from "#pipeline";
import type { Queue } from "#queue";
import type { ReturnLane } from "#returns";
import { historyOf, ownText, type RecordView } from "#store";
import { version, type Metrics } from "#telemetry";
import { startWeb, type Overview, type ReadinessChecks, type StatusSource, type Web } from "#web";
import type { Assembly } from "../assembly.ts";
import type { ClusterPart } from "../cluster/cluster-part.ts";
import type { Configuration, Systems } from "../systems/systems.ts";
import { carryingOut } from "./page-acts.ts";
import type { PollWatch } from "../watch/poll-watch.ts";
import { readinessNote } from "../watch/work-proof.ts";

/** Entries of a record's history on its page. */
const HISTORY = 50;
/** How long a person waits for a read from the service, in milliseconds. */
const READ_MS = 20_000;

/** For a record whose stream is no longer in the sync file. */
const noSides: RecordSides = {
  fields: [],
  verdict: "its stream is not in the sync file",
  error: undefined,
  service: "notAsked",
};

export interface PagesDeps {
  readonly configuration: Configuration;
  readonly parts: Systems;
  readonly queue: Queue;
  readonly assembly: Assembly;
  readonly returns: Pick<ReturnLane, "nudge">;
  readonly pollWatch: PollWatch;
  readonly clusterPart: ClusterPart;
  readonly metrics: Metrics;
}

/**
 * Serves health, metrics and the status page of a running daemon on HEALTH_PORT.
 * @throws {StopError} E_HEALTH_PORT when the port is taken.
 */
export async function servePages(deps: PagesDeps): Promise<Web> {
  const { configuration, parts, assembly, metrics } = deps;
  const { settings, secrets, redaction, syncFile, logger } = configuration;
  return startWeb(settings.health, {
    status: statusSource(deps),
    ...(secrets.nudgeToken === undefined
      ? {}
      : {
          nudges: {
            token: secrets.nudgeToken,
            streams: syncFile.streams.map(({ name }) => name),
            nudge: (stream) => assembly.nudges.nudge(stream),
          },
        }),
    ready: readiness(deps),
    metrics,
    access: { ...settings.page, token: secrets.pageToken, users: secrets.pageUsers ?? [] },
    pageSecret: await ownText(parts.store, "page", 32),
    notes: parts.store,
    redact: redaction.redact,
    clock: parts.clock,
    logger,
    version,
  });
}

function statusSource({ configuration, parts, queue, assembly, returns }: PagesDeps): StatusSource {
  const { settings, secrets, syncFile } = configuration;
  const { streams } = syncFile;
  const { blockedRecords } = settings;
  const { store, service, clock } = parts;
  const startedAt = clock.now();
  const titleOf = async (record: RecordView) => {
    const stream = streams.find(({ name }) => name === record.id.stream);
    return stream === undefined ? "" : recordTitle(stream, record);
  };
  const returnStatuses = () => readReturns(store.returns, syncFile.returns, clock.now());
  return {
    overview: async (): Promise<Overview> => {
      const statuses = await streamStatus(store, streams, clock);
      return {
        startedAt,
        streams: statuses,
        blockedRecords,
        service: service.state(),
        queue: await queue.depth().then(
          (depth) => ({ kind: queue.kind, ...depth }),
          () => undefined,
        ),
        upkeep: await readUpkeep(store),
        returns: await returnStatuses(),
      };
    },
    returns: {
      statuses: returnStatuses,
      find: (query) => store.returns.find(query),
      one: async (id) => {
        const item = await store.returns.one(id);
        if (item === undefined) return undefined;
        const versions = await store.returns.versions(id.stream, id.subject);
        const history = await store.audit({ id: historyOf(id), limit: HISTORY });
        return { item, versions, history, record: await recordOfReturn(store, syncFile.returns, item) };
      },
    },
    streams: streams.map(({ name }) => name),
    channels: namedChannels(settings.notify, { secrets, clock, version }).map(({ name }) => name),
    groups: () =>
      notedGroups(
        { store },
        streams.map(({ name }) => name),
      ),
    groupNotes: () => store.groups.groupNotes(),
    recentActs: (query) => store.acts.recent(query),
    history: (query) => store.history.history(query),
    records: (query) => store.records(query),
    titles: (records) => Promise.all(records.map(titleOf)),
    names: (ids) =>
      Promise.all(
        ids.map(async (id) => {
          const record = await store.record(id);
          return record === undefined ? "" : titleOf(record);
        }),
      ),
    record: async (id, { readService } = { readService: false }) => {
      const record = await store.record(id);
      if (record === undefined) return undefined;
      const stream = streams.find(({ name }) => name === id.stream);
      const signal = AbortSignal.timeout(READ_MS);
      const sides = stream
        ? await recordSides({ store, service }, stream, record, { ask: readService, signal })
        : noSides;
      const obstacles = await streamObstacles(store, id.stream, clock.now());
      const history = await store.audit({ id, limit: HISTORY });
      const title = await titleOf(record);
      const servicePage = record.binding && servicePageOf(settings.page.servicePage, record.binding);
      const exchanges = await store.watches.exchanges(id);
      return { record, title, servicePage, create: stream?.create, obstacles, sides, history, exchanges };
    },
    boundTo: (binding) => store.boundTo(binding),
    plan: (stream) => assembly.plans.read(stream),
    heldDeletions: async (stream) => {
      const held = await heldDeletions(store, stream);
      const { deletion = "ignore" } = streams.find(({ name }) => name === stream) ?? {};
      return held && { ...held, deletion };
    },
    adoption: () => assembly.adoption.state,
    carryOut: carryingOut(configuration, parts, assembly, returns),
  };
}

/** The address of a record's page in the service. */
function servicePageOf(template: string | undefined, { resource, serviceId }: Binding): string | undefined {
  return template?.replaceAll("{resource}", encodeURIComponent(resource)).replaceAll("{id}", String(serviceId));
}

/**
 * The checks of `/readyz`: whether this process can serve and poll. A failing service is only reported, as known to the circuit breaker: no
 * other process reaches it either, and the page that explains it must stay reachable.
 */
export function readiness({
  parts: { store, service, clock },
  queue,
  pollWatch,
  clusterPart,
}: Pick<PagesDeps, "parts" | "queue" | "pollWatch" | "clusterPart">): ReadinessChecks {
  return {
    needed: {
      ...clusterPart.needed,
      // Writes, because a full disk or a full Redis refuses writes only.
      store: () => store.saveNote(readinessNote, clock.now()),
      queue: () => queue.ping(),
      polls: async () => pollWatch.check(),
    },
    reported: {
      ...clusterPart.reported,
      service: async () => {
        if (service.state().state !== "closed") throw new RetryError("E_SERVICE_DOWN", "the service does not answer");
      },
    },
  };
}
