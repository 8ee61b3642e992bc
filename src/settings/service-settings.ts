import { compared, needs, type EnvironmentProblem } from "./problem.ts";
import type { Values } from "./schema/schema.ts";

/** The service's part of the settings. */
export type ServiceSettings = Readonly<NonNullable<ReturnType<typeof serviceSettings>>>;

type Login =
  | { readonly kind: "token" }
  | {
      readonly kind: "password";
      readonly username: string;
      /** Negative: the token never expires. */
      readonly lifeTimeMinutes: number;
      readonly lifeTimeRefresh: boolean;
      readonly tokenName: string | undefined;
    };

/** Interprets the service's keys. Undefined if they are incomplete or contradictory, with the reasons in `problems`. */
export function serviceSettings(values: Values, problems: EnvironmentProblem[]) {
  const url = values.SERVICE_URL;
  if (url === undefined)
    problems.push({
      key: "SERVICE_URL",
      found: "nothing",
      wanted: "the tenant's base address, e.g. https://example.com",
    });
  const login = loginOf(values, problems);
  for (const key of ["SERVICE_CONNECT_TIMEOUT_SECONDS", "SERVICE_ANSWER_TIMEOUT_SECONDS"] as const)
    problems.push(...compared(values, key, "at most", "SERVICE_CALL_TIMEOUT_SECONDS"));
  if (url === undefined || login === undefined) return undefined;
  const proxyUrl = proxyFor(url, values);
  return {
    /** Without a trailing slash and without credentials. */
    url,
    /** Another address of the same service, under which the store may know it. */
    formerUrl: values.SERVICE_FORMER_URL,
    login,
    dialect: serviceDialectOf(values),
    connectTimeoutMs: values.SERVICE_CONNECT_TIMEOUT_SECONDS,
    answerTimeoutMs: values.SERVICE_ANSWER_TIMEOUT_SECONDS,
    callTimeoutMs: values.SERVICE_CALL_TIMEOUT_SECONDS,
    /** Most requests at once. */
    concurrency: values.SERVICE_CONCURRENCY,
    responseLimitBytes: values.SERVICE_RESPONSE_LIMIT_BYTES,
    /** Path of a PEM file with authorities to trust in addition to the system's. */
    caFile: values.SERVICE_CA_FILE,
    /** From HTTPS_PROXY / HTTP_PROXY / NO_PROXY, without credentials; `secrets.proxyUrl` has them. */
    proxy: proxyUrl === undefined ? undefined : { url: new URL(proxyUrl).origin, except: values.NO_PROXY ?? [] },
    /** How old cached reference data may be, in milliseconds. */
    referenceMaxAgeMs: values.SERVICE_REFERENCE_MAX_AGE_SECONDS,
    /** How old the match index may be when a create uses it, in milliseconds. */
    matchMaxAgeMs: values.SERVICE_MATCH_MAX_AGE_SECONDS,
  };
}

/** The service's proxy address as given, credentials included; undefined if the service is called without a proxy. */
export function proxyFor(serviceUrl: string | undefined, values: Values): string | undefined {
  return serviceUrl?.startsWith("https:") ? values.HTTPS_PROXY : values.HTTP_PROXY;
}

/**
 * Everything that the API reference leaves open, as values; the known facts are the defaults. `svcsync check --service` shows which of them
 * a tenant needs.
 */
export type ServiceDialect = Readonly<ReturnType<typeof serviceDialectOf>>;

export function serviceDialectOf(values: Values) {
  return {
    /** The word that the API uses where the reference writes `svc`: in paths, wrapper keys, `fields` and link names. */
    brand: values.DIALECT_BRAND,
    /** Where a list's rows are: under the resource's name (or `listKeys`), under one fixed key, or at the top level. */
    listWrapper: values.DIALECT_LIST_WRAPPER,
    /** Wrapper keys that differ from the resource's name. */
    listKeys: values.DIALECT_LIST_KEYS ?? {},
    /** Paging by record offset, by page number (from 0 or 1), or no paging. */
    paging: values.DIALECT_PAGING,
    /** Records per page, 2 to 50. */
    pageSize: values.DIALECT_PAGE_SIZE,
    /** The sort parameter that makes pages stable (`sortings=id asc`); undefined if there is none. */
    sort: values.DIALECT_SORT,
    /** The member with a list's total count; undefined if lists have none. */
    totalKey: values.DIALECT_TOTAL_KEY,
    /** Path of one record below `restApi/v1/`, with {resource} and {id}. */
    recordPath: values.DIALECT_RECORD_PATH,
    /** The answer to a create: the record, only an id, only a Location header, or nothing usable. */
    createAnswer: values.DIALECT_CREATE_ANSWER,
    /** Whether array properties can be updated with `{ action, ids }`. If not, svcsync reads, merges and writes the whole array. */
    arrayUpdate: values.DIALECT_ARRAY_UPDATE,
    /** Paths that differ from the resource's name, e.g. contignent -> contingent; nested ones may hold {parent}. */
    paths: values.DIALECT_PATHS ?? {},
  };
}

function loginOf(values: Values, problems: EnvironmentProblem[]): Login | undefined {
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
  problems.push(
    ...needs(values, "SERVICE_PASSWORD", "SERVICE_USERNAME", "the user that SERVICE_PASSWORD belongs to"),
    ...needs(values, "SERVICE_USERNAME", "SERVICE_PASSWORD", "the password of SERVICE_USERNAME"),
  );
  if (username === undefined || password === undefined) return undefined;
  return {
    kind: "password",
    username,
    lifeTimeMinutes: values.SERVICE_TOKEN_LIFETIME_MINUTES,
    lifeTimeRefresh: values.SERVICE_TOKEN_REFRESH,
    tokenName: values.SERVICE_TOKEN_NAME,
  };
}
