import { daemonErrors } from "./daemon.ts";
import type { ErrorEntry, ErrorPage } from "./error-page.ts";
import { httpErrors } from "./http.ts";
import { mappingErrors } from "./mapping.ts";
import { operatorErrors } from "./operator.ts";
import { pipelineErrors } from "./pipeline.ts";
import { queueErrors } from "./queue.ts";
import { sandboxErrors } from "./sandbox.ts";
import { serviceErrors } from "./service.ts";
import { settingsErrors } from "./settings.ts";
import { sourcesWebErrors } from "./sources-web.ts";
import { sourcesErrors } from "./sources.ts";
import { storeErrors } from "./store.ts";
import { webErrors } from "./web.ts";

/** The pages of docs/errors, by name. `npm run docs:errors` writes them. */
export const errorPages = {
  settings: settingsErrors,
  mapping: mappingErrors,
  sources: sourcesErrors,
  "sources-web": sourcesWebErrors,
  service: serviceErrors,
  http: httpErrors,
  store: storeErrors,
  queue: queueErrors,
  pipeline: pipelineErrors,
  operator: operatorErrors,
  daemon: daemonErrors,
  web: webErrors,
  sandbox: sandboxErrors,
};

type CodeOf<Page> = Page extends ErrorPage<infer Code> ? Code : never;

/** A stable, readable name of an error. Only a code that has an entry can be thrown. */
export type ErrorCode = CodeOf<(typeof errorPages)[keyof typeof errorPages]>;

const entries = new Map<string, ErrorEntry>(Object.values(errorPages).flatMap((page) => Object.entries(page.entries)));

/** What a person should know about a code; undefined for one that another version of svcsync stored. */
export function errorEntry(code: string): ErrorEntry | undefined {
  return entries.get(code);
}
