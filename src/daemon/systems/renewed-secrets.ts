import { isDeepStrictEqual } from "node:util";
import { rereadSecretFiles, secretTexts, withCredentials, type LocalSettings, type Secrets } from "#settings";
import type { SyncFile } from "#mapping";
import type { Logger, Redaction } from "#telemetry";

export interface RenewedSecretsDeps {
  readonly settings: Pick<LocalSettings, "environment" | "secretFiles">;
  readonly secrets: Secrets;
  readonly syncFile: Pick<SyncFile, "sourcesWith">;
  readonly redaction: Redaction;
  readonly logger: Logger;
}

/** Reads secrets from files again after a refused login, so that replacing a file needs no restart. */
export class RenewedSecrets {
  readonly #deps: RenewedSecretsDeps;
  readonly #hideOfService: (...texts: readonly string[]) => void;
  readonly #hideOfSources: (...texts: readonly string[]) => void;
  #secrets: Secrets;

  constructor(deps: RenewedSecretsDeps) {
    this.#deps = deps;
    this.#secrets = deps.secrets;
    this.#hideOfService = deps.redaction.ofLogin();
    this.#hideOfSources = deps.redaction.ofLogin();
  }

  get serviceToken(): string | undefined {
    return this.#secrets.serviceToken;
  }

  /** The service's credentials, if they have changed. */
  readonly ofService = (): Secrets | undefined => {
    const { logger } = this.#deps;
    const secrets = withCredentials(this.#secrets, this.#texts());
    if (isDeepStrictEqual(secrets, this.#secrets)) return undefined;
    this.#hideOfService(...secretTexts(secrets));
    this.#secrets = secrets;
    logger.info({}, "credentials of the service were read again");
    return secrets;
  };

  /** The settings of a source, if they differ from `settings`. */
  readonly ofSource = (source: string, settings: unknown): unknown => {
    const { syncFile, logger } = this.#deps;
    const now = syncFile.sourcesWith(this.#texts());
    const entry = now.sources.find(({ name }) => name === source);
    if (entry === undefined || isDeepStrictEqual(entry.settings, settings)) return undefined;
    this.#hideOfSources(...now.secrets);
    logger.info({ source }, "credentials of a source were read again");
    return entry.settings;
  };

  #texts(): Readonly<Record<string, string>> {
    const { environment, secretFiles } = this.#deps.settings;
    return rereadSecretFiles(environment, secretFiles);
  }
}
