import { systemClock, type Clock } from "#model";
import { openService, type Service, type ServiceContext } from "#service";
import { storeLocation, type Secrets, type Settings } from "#settings";
import { openStore, type Standby, type Store } from "#store";
import type { SyncFile } from "#mapping";
import { version, type Logger, type Redaction } from "#telemetry";
import type { Closing } from "../closing.ts";
import { KnownSources } from "./known-sources.ts";
import { expectKnownService } from "./known-service.ts";
import { keptSession } from "../cluster/kept-session.ts";
import { joiningMember } from "../cluster/joining.ts";
import { RenewedSecrets } from "./renewed-secrets.ts";
import { openSources, type Sources } from "./sources.ts";

export interface Configuration {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly syncFile: SyncFile;
  readonly logger: Logger;
  /** Knows the secrets of settings and sync file, and learns those from logins. */
  readonly redaction: Redaction;
  readonly clock?: Clock;
  /** A monotonic clock in milliseconds, which times the pauses of a failed ERP. */
  readonly elapsed?: () => number;
  /** Overrides how often notices, the heartbeat and scheduled maintenance check for work. */
  readonly upkeepEveryMs?: number;
  /** Called for each request to the service. */
  readonly requested?: ServiceContext["requested"];
  /** Overrides when the service's circuit breaker opens and for how long. */
  readonly breaker?: ServiceContext["breaker"];
  /** Lets a daemon wait for another one that holds the store, if it is in PostgreSQL. */
  readonly standby?: Standby;
}

/** The parts that talk to other systems: the ERP, the service and the store. */
export interface Systems {
  readonly clock: Clock;
  readonly store: Store;
  readonly service: Service;
  readonly sources: Sources;
  readonly renewed: Pick<RenewedSecrets, "serviceToken">;
}

/** Opens the configured store. @throws {StopError} E_STORE_BUSY and others when it cannot be opened. */
export async function openOwnStore(configuration: Configuration, as: "daemon" | "operator"): Promise<Store> {
  const { settings, secrets, syncFile, logger, redaction, clock = systemClock, standby } = configuration;
  const { leaseMs } = settings.delivery;
  const joins = standby && joiningMember(settings, secrets, syncFile, version);
  return openStore(storeLocation(settings, secrets), {
    as,
    leaseMs,
    clock,
    logger,
    redact: redaction.redact,
    ...(standby ? { standby } : {}),
    ...(joins ? { joins } : {}),
  });
}

/**
 * Opens the service and the sources in addition to the store; `closing` closes them in reverse order.
 * @throws {StopError} E_SERVICE_OTHER when the store belongs to another service. Sends no request to the service or the ERP.
 */
export async function openSystems(
  configuration: Configuration,
  store: Store,
  as: "daemon" | "operator",
  closing: Closing,
): Promise<Systems> {
  const { settings, secrets, syncFile, logger, redaction, requested, breaker } = configuration;
  const renewed = new RenewedSecrets(configuration);
  await expectKnownService(store, storeLocation(settings, secrets), settings.service, as === "daemon");
  const { clock } = store;
  const referenceCache = {
    load: (resource: string) => store.reference(resource),
    save: (resource: string, entries: Parameters<Store["saveReference"]>[1]) => store.saveReference(resource, entries),
  };
  const loadWritten = async (resource: string, serviceId: number) => {
    const owner = await store.boundTo({ resource, serviceId });
    return owner && (await store.record(owner))?.applied;
  };
  const service = closing.use(
    openService(settings.service, secrets, {
      clock,
      logger,
      referenceCache,
      loadWritten,
      version,
      hide: redaction.ofLogin(),
      renew: renewed.ofService,
      mayWrite: () => store.cluster.mayWrite(),
      // Also with a single daemon, so that a restart, or a command beside it, needs no login.
      session: keptSession(store, redaction.redact),
      ...(requested ? { requested } : {}),
      ...(breaker ? { breaker } : {}),
    }),
  );
  const known = new KnownSources({ store, clock, former: settings.polling.formerSources });
  const sources = closing.use(
    await openSources(syncFile, { clock, logger, hideLogin: redaction.ofLogin, renew: renewed.ofSource, known }),
  );
  return { clock, store, service, sources, renewed };
}
