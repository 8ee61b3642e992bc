import { daemonErrors } from "./pages/daemon.ts";
import type { ErrorEntry, ErrorPage } from "./error-page.ts";
import { guardsErrors } from "./pages/guards.ts";
import { httpErrors } from "./pages/http.ts";
import { mappingErrors } from "./pages/mapping.ts";
import { operatorErrors } from "./pages/operator.ts";
import { pipelineErrors } from "./pages/pipeline.ts";
import { queueErrors } from "./pages/queue.ts";
import { sandboxErrors } from "./pages/sandbox.ts";
import { serviceErrors } from "./pages/service.ts";
import { settingsErrors } from "./pages/settings.ts";
import { sourcesWebErrors } from "./pages/sources-web.ts";
import { sourcesErrors } from "./pages/sources.ts";
import { returnsErrors } from "./pages/returns.ts";
import { replicasErrors } from "./pages/replicas.ts";
import { storeErrors } from "./pages/store.ts";
import { webErrors } from "./pages/web.ts";

/** The pages of docs/errors, by name. `npm run docs:errors` writes them. */
export const errorPages = {
  settings: settingsErrors,
  mapping: mappingErrors,
  sources: sourcesErrors,
  "sources-web": sourcesWebErrors,
  service: serviceErrors,
  http: httpErrors,
  store: storeErrors,
  replicas: replicasErrors,
  queue: queueErrors,
  pipeline: pipelineErrors,
  guards: guardsErrors,
  returns: returnsErrors,
  operator: operatorErrors,
  daemon: daemonErrors,
  web: webErrors,
  sandbox: sandboxErrors,
};

type CodeOf<Page> = Page extends ErrorPage<infer Code> ? Code : never;

/** A stable, readable name of an error. Only a code that has an entry can be thrown. */
export type ErrorCode = CodeOf<(typeof errorPages)[keyof typeof errorPages]>;

const entries = new Map<string, ErrorEntry>(Object.values(errorPages).flatMap((page) => Object.entries(page.entries)));

export function errorCodes(): Iterable<string> {
  return entries.keys();
}

/** The catalogue entry of a code; undefined for a code that another version of svcsync stored. */
export function errorEntry(code: string): ErrorEntry | undefined {
  return entries.get(code);
}
