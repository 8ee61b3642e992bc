import { systemClock } from "#model";
import { openService, type Service } from "#service";
import { DEFAULT_TOKEN } from "#sandbox";
import { loadSettings } from "#settings";
import { silentLogger } from "../kit/logger.ts";

/** What an env file with these lines makes of the service. */
export function serviceOf(url: string, lines: Readonly<Record<string, string>>): Service {
  const environment = { SERVICE_URL: url, SERVICE_TOKEN: DEFAULT_TOKEN, ...lines };
  const { settings, secrets } = loadSettings({ envFile: "/dev/null", environment });
  const referenceCache = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };
  return openService(settings.service, secrets, { clock: systemClock, logger: silentLogger, referenceCache });
}
