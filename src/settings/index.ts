export { loadLocalSettings, loadSettings, type EnvironmentOptions } from "./load.ts";
export type { LocalSettings, ServiceSettings, Settings } from "./settings.ts";
export type { NotifySettings, QuietHours } from "./notify-settings.ts";
export type { Dialect } from "./dialect.ts";
export { secretTexts, type Secrets } from "./secrets.ts";
export { notifyAccess, type NotifyAccess } from "./service-manager.ts";
export { childEnvironment } from "./child-environment.ts";
export { exampleEnvironment } from "./example.ts";
export { isSettingsKey } from "./schema/schema.ts";
