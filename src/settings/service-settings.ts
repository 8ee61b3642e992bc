import type { Dialect } from "./dialect.ts";
import type { Problem } from "./problem.ts";
import type { Values } from "./schema/schema.ts";
import type { ServiceSettings } from "./settings.ts";

/** What the service's keys mean together; undefined where they contradict each other, with the reasons in `problems`. */
export function serviceSettings(values: Values, problems: Problem[]): ServiceSettings | undefined {
  const url = values.SERVICE_URL;
  if (url === undefined)
    problems.push({
      key: "SERVICE_URL",
      found: "nothing",
      wanted: "the tenant's base address, e.g. https://example.com",
    });
  const login = loginOf(values, problems);
  checkTimeouts(values, problems);
  if (url === undefined || login === undefined) return undefined;
  const proxyUrl = proxyFor(url, values);
  return {
    url,
    login,
    dialect: dialectOf(values),
    connectTimeoutMs: values.SERVICE_CONNECT_TIMEOUT_SECONDS,
    answerTimeoutMs: values.SERVICE_ANSWER_TIMEOUT_SECONDS,
    callTimeoutMs: values.SERVICE_CALL_TIMEOUT_SECONDS,
    concurrency: values.SERVICE_CONCURRENCY,
    responseLimitBytes: values.SERVICE_RESPONSE_LIMIT_BYTES,
    caFile: values.SERVICE_CA_FILE,
    proxy: proxyUrl === undefined ? undefined : { url: withoutCredentials(proxyUrl), except: values.NO_PROXY ?? [] },
    referenceMaxAgeMs: values.SERVICE_REFERENCE_MAX_AGE_SECONDS,
    matchMaxAgeMs: values.SERVICE_MATCH_MAX_AGE_SECONDS,
  };
}

/** The proxy's address as given, credentials included, or undefined where this service is called without one. */
export function proxyFor(serviceUrl: string | undefined, values: Values): string | undefined {
  return serviceUrl?.startsWith("https:") ? values.HTTPS_PROXY : values.HTTP_PROXY;
}

export function dialectOf(values: Values): Dialect {
  return {
    brand: values.DIALECT_BRAND,
    listWrapper: values.DIALECT_LIST_WRAPPER,
    listKeys: values.DIALECT_LIST_KEYS ?? {},
    paging: values.DIALECT_PAGING,
    pageSize: values.DIALECT_PAGE_SIZE,
    sort: values.DIALECT_SORT,
    totalKey: values.DIALECT_TOTAL_KEY,
    recordPath: values.DIALECT_RECORD_PATH,
    createAnswer: values.DIALECT_CREATE_ANSWER,
    arrayUpdate: values.DIALECT_ARRAY_UPDATE,
    paths: values.DIALECT_PATHS ?? {},
  };
}

function loginOf(values: Values, problems: Problem[]): ServiceSettings["login"] | undefined {
  const { SERVICE_TOKEN: token, SERVICE_USERNAME: username, SERVICE_PASSWORD: password } = values;
  if (token !== undefined) {
    for (const key of ["SERVICE_USERNAME", "SERVICE_PASSWORD", "SERVICE_CODE", "SERVICE_TOKEN_NAME"] as const)
      if (values[key] !== undefined)
        problems.push({ key, found: "a value beside SERVICE_TOKEN", wanted: "either a token or a user's login" });
    return { kind: "token" };
  }
  if (username === undefined && password === undefined) {
    const wanted = "a token, or SERVICE_USERNAME and SERVICE_PASSWORD instead";
    problems.push({ key: "SERVICE_TOKEN", found: "nothing", wanted });
    return undefined;
  }
  if (username === undefined)
    problems.push({ key: "SERVICE_USERNAME", found: "nothing", wanted: "the user that SERVICE_PASSWORD belongs to" });
  if (password === undefined)
    problems.push({ key: "SERVICE_PASSWORD", found: "nothing", wanted: "the password of SERVICE_USERNAME" });
  if (username === undefined || password === undefined) return undefined;
  return {
    kind: "password",
    username,
    lifeTimeMinutes: values.SERVICE_TOKEN_LIFETIME_MINUTES,
    lifeTimeRefresh: values.SERVICE_TOKEN_REFRESH,
    tokenName: values.SERVICE_TOKEN_NAME,
  };
}

function checkTimeouts(values: Values, problems: Problem[]): void {
  const call = values.SERVICE_CALL_TIMEOUT_SECONDS;
  for (const key of ["SERVICE_CONNECT_TIMEOUT_SECONDS", "SERVICE_ANSWER_TIMEOUT_SECONDS"] as const)
    if (values[key] > call)
      problems.push({
        key,
        found: `"${values[key] / 1000}"`,
        wanted: `at most SERVICE_CALL_TIMEOUT_SECONDS, which is ${call / 1000}`,
      });
}

function withoutCredentials(address: string): string {
  return new URL(address).origin;
}
