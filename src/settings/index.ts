export { loadLocalSettings, loadSettings, type EnvironmentOptions, type Settings } from "./load.ts";
export { storeLocation, type LocalSettings } from "./local-settings.ts";
export type { ServiceDialect, ServiceSettings } from "./service-settings.ts";
export type { NotifySettings, QuietHours } from "./notify-settings.ts";
export { usualSyncFile } from "./sync-file-place.ts";
export { secretTexts, withCredentials, type Secrets } from "./secrets.ts";
export { notifyAccess, type NotifyAccess, childEnvironment, rereadSecretFiles } from "./environment.ts";
export { environmentWarnings } from "./environment-warnings.ts";
export { isSettingsKey, wantedInstead } from "./schema/schema.ts";
