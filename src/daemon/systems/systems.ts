import { systemClock, type Clock } from "#model";
import { openService, type Service, type ServiceContext } from "#service";
import { storeLocation, type Secrets, type Settings } from "#settings";
import { openStore, type Standby, type Store } from "#store";
import type { SyncFile } from "#mapping";
import { version, type Logger, type Redaction } from "#telemetry";
import type { Closing } from "../closing.ts";
import { expectKnownService } from "./known-service.ts";
import { keptSession } from "../replicas/kept-session.ts";
import { joiningReplica } from "../replicas/joining.ts";
import { RenewedSecrets } from "./renewed-secrets.ts";
import { openSources, type Sources } from "./sources.ts";

export interface Configuration {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly syncFile: SyncFile;
  readonly logger: Logger;
  /** Knows the secrets of settings and sync file, and learns those that logins bring. */
  readonly redaction: Redaction;
  readonly clock?: Clock;
  /** Milliseconds by a monotonic clock, which an ERP that failed is given its pauses by. */
  readonly elapsed?: () => number;
  /** How often notices, the heartbeat and scheduled care look whether there is something to do, where their own pauses are too long. */
  readonly upkeepEveryMs?: number;
  /** Told of every request to the service. */
  readonly requested?: ServiceContext["requested"];
  /** When the service's breaker opens and for how long, where its own patience is too long. */
  readonly breaker?: ServiceContext["breaker"];
  /** Lets a daemon wait for one that holds the store, where that is in PostgreSQL. */
  readonly standby?: Standby;
}

/** The parts that talk to a system: the ERP, the service, the store. */
export interface Systems {
  readonly clock: Clock;
  readonly store: Store;
  readonly service: Service;
  readonly sources: Sources;
  readonly renewed: Pick<RenewedSecrets, "serviceToken">;
}

/** Opens the store that the settings name. @throws {StopError} E_STORE_BUSY and others when it cannot be had. */
export async function openOwnStore(configuration: Configuration, as: "daemon" | "operator"): Promise<Store> {
  const { settings, secrets, syncFile, logger, redaction, clock = systemClock, standby } = configuration;
  const { leaseMs } = settings.delivery;
  const joins = standby && joiningReplica(settings, secrets, syncFile, version);
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
 * Opens service and sources beside the store; `closing` closes them in reverse.
 * @throws {StopError} E_SERVICE_OTHER when the store is another service's. The service and the ERP are not asked yet.
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
      mayWrite: () => store.mayWrite(),
      // With one daemon, too: a restart, and a command beside it, take no login.
      session: keptSession(store, redaction.redact),
      ...(requested ? { requested } : {}),
      ...(breaker ? { breaker } : {}),
    }),
  );
  const sources = closing.use(
    await openSources(syncFile, { clock, logger, hideLogin: redaction.ofLogin, renew: renewed.ofSource }),
  );
  return { clock, store, service, sources, renewed };
}
