import { systemClock, type Clock } from "#model";
import { openHttp } from "#http";
import type { Secrets, Settings } from "#settings";
import type { Logger } from "#telemetry";
import { openBackward } from "./backward/open-backward.ts";
import { Brand } from "./dialect/brand.ts";
import { Breaker, type BreakerSettings } from "./transport/breaker.ts";
import type { Service } from "./contract.ts";
import { Creates } from "./writes/creates.ts";
import { customFieldFinder, CustomFields } from "./dialect/custom-fields.ts";
import { Edits } from "./writes/edits.ts";
import { FieldReader } from "./reads/field-facts.ts";
import { AdaptiveLimit } from "./transport/limit.ts";
import { MergeQuestion } from "./reads/merges.ts";
import { Lists } from "./reads/lists.ts";
import { Pace } from "./transport/pace.ts";
import { Paths, type LoadWritten } from "./dialect/paths.ts";
import { Probe } from "./probe/probe.ts";
import { Records } from "./reads/records.ts";
import { Reference, type ReferenceCache } from "./reads/reference.ts";
import { ServiceClock } from "./transport/server-clock.ts";
import { openSession } from "./transport/open-session.ts";
import type { SessionCell } from "./transport/shared-token.ts";
import { Transport, type RequestFacts } from "./transport/transport.ts";
import { Witness } from "./reads/witness.ts";

export interface ServiceContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly referenceCache: ReferenceCache;
  /** Loads the ancestors of a record after a restart, where `DIALECT_PATHS` nests it. */
  readonly loadWritten?: LoadWritten;
  /** When the breaker opens and for how long. Tests use shorter times. */
  readonly breaker?: BreakerSettings;
  /** svcsync's version, for the User-Agent. */
  readonly version?: string;
  /** Registers secrets from a login, so that they are removed from everything that is logged, shown or stored. */
  readonly hide?: (...secrets: string[]) => void;
  /** Called after the credentials were refused: returns the current secrets if they have changed. */
  readonly renew?: () => Secrets | undefined;
  /** Called for every request to the service, for metrics. */
  readonly requested?: (request: RequestFacts) => void;
  /** Keeps one session for all daemons of a store. Without it, each daemon has its own. */
  readonly session?: SessionCell | undefined;
  /** Asked right before each write. If it returns false, the write is not sent. */
  readonly mayWrite?: () => boolean;
}

/** Ten failures in a row are no coincidence. A pause of one minute is short for an outage and long for a request. */
const BREAKER: BreakerSettings = { failures: 10, pauseMs: 2000, pauseMaxMs: 60_000 };

/** A request that shows whether a token is valid. */
const PROBE = "customer?limit=1&fields=id";

/** Connections for logins, which the adaptive limit does not count. */
const SPARE_CONNECTIONS = 2;

/**
 * Opens the service without sending anything: the first call logs in. Disposing it aborts its reads and closes its
 * connections.
 * @throws {StopError} E_HTTP_CA_FILE when the private certificate authorities cannot be read.
 */
export function openService(settings: Settings["service"], secrets: Secrets, context: ServiceContext): Service {
  const { clock, logger, hide = ignore } = context;
  const closing = new AbortController();
  const { dialect } = settings;
  const brand = new Brand(dialect.brand);
  const paths = new Paths(settings.url, dialect, brand, context.loadWritten ?? (() => Promise.resolve(undefined)));
  const proxy = settings.proxy && { ...settings.proxy, url: secrets.proxyUrl ?? settings.proxy.url };
  const http = openHttp({
    ...settings,
    proxy,
    userAgent: context.version === undefined ? "svcsync" : `svcsync/${context.version}`,
    connections: settings.concurrency + SPARE_CONNECTIONS,
  });
  const serverClock = new ServiceClock(clock);
  const renew = context.renew ?? ignore;
  const addresses = { url: paths.login, logoutUrl: paths.logout, probeUrl: paths.address(PROBE) };
  const loginDeps = { ...addresses, secrets, http, clock, serverClock, logger, hide, renew };
  const { session, fencing } = openSession(settings.login, loginDeps, context.session);
  const limit = new AdaptiveLimit(settings.concurrency);
  const breaker = new Breaker(context.breaker ?? BREAKER, (state, probeAt) => announce(logger, state, probeAt));
  const pace = new Pace();
  const transport = new Transport({
    serverClock,
    http,
    session,
    limit,
    pace,
    breaker,
    brand,
    clock,
    logger,
    requested: context.requested ?? ignore,
    mayWrite: context.mayWrite ?? (() => true),
  });

  const parts = { transport, paths, dialect, brand };
  const reference: Reference = new Reference({
    list: (resource, query, signal) => lists.pages(resource, query, signal),
    cache: context.referenceCache,
    clock,
    logger,
    maxAgeMs: settings.referenceMaxAgeMs,
    closing: closing.signal,
  });
  const customFields = new CustomFields(customFieldFinder(reference, brand));
  const merges = new MergeQuestion(logger);
  const records = new Records(parts, customFields, merges);
  const lists = new Lists(parts, customFields, records);
  const creates = new Creates(parts, customFields, records);
  const edits = new Edits(parts, customFields, records, merges, logger);
  const probe = new Probe({ ...parts, clock });
  const witness = new Witness(parts);
  const backward = openBackward(parts, {
    url: settings.url,
    customFields,
    merges,
    now: () => serverClock.now(),
    logger,
  });
  const fieldReader = new FieldReader({ lists, paths, brand });
  return {
    create: (...args) => creates.create(...args),
    update: (...args) => edits.update(...args),
    remove: (...args) => records.remove(...args),
    read: (...args) => records.read(...args),
    vouch: (...args) => witness.vouch(...args),
    list: (...args) => lists.pages(...args),
    backward,
    lookup: (...args) => reference.lookup(...args),
    fields: (...args) => fieldReader.facts(...args),
    probe: (...args) => probe.run(...args),
    ping: (signal) => probe.ping(signal),
    fence: fencing.end,
    exposedMs: fencing.exposedMs,
    proveFence: fencing.prove,
    now: () => serverClock.now(),
    drain: () => pace.drain(),
    setShare: (requests) => {
      limit.setCeiling(requests);
      pace.setPatient(requests > 0);
    },
    held: () => limit.held,
    limits: () => pace.limits,
    setLimits: (limits) => pace.setLimits(limits),
    onPause: (listener) => pace.onPause(listener),
    state: () => ({
      state: breaker.state,
      // The breaker uses this machine's clock, everything else that of the store.
      probeAt: breaker.probeAt && clock.now() + breaker.probeAt - systemClock.now(),
      holdMs: Math.ceil(pace.holdMs),
      perSecond: Number.isFinite(pace.perSecond) ? pace.perSecond : undefined,
      concurrency: limit.current,
      requests: transport.requests,
    }),
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("the service was closed"));
      http[Symbol.dispose]();
    },
  };
}

function ignore(): undefined {}

function announce(logger: Logger, state: "open" | "closed", probeAt: number | undefined): void {
  if (state === "closed") logger.info({}, "service answered again");
  else logger.warn({ probeAt }, "circuit breaker opened");
}
