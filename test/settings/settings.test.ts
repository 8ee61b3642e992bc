import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StopError } from "#model";
import { environmentWarnings, loadLocalSettings, loadSettings, rereadSecretFiles } from "#settings";
import { keys } from "../../src/settings/schema/schema.ts";

const token = { SERVICE_URL: "https://tenant.example/", SERVICE_TOKEN: "t0ken-of-ours" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svcsync-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Settings from this environment alone: the machine's own `.env` plays no part. */
function load(environment: Record<string, string>, envFile = fileWith("empty.env", "")) {
  return loadSettings({ environment, envFile });
}

/** The lines of the refusal, one per problem. */
function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof StopError && error.code === "E_SETTINGS")
      return error.message
        .split("\n")
        .slice(1)
        .map((line) => line.trim());
    throw error;
  }
  throw new Error("the settings were accepted");
}

describe("settings", () => {
  it("refuse to run with certificates unchecked, and name what to set instead", () => {
    expect(problemsOf(() => load({ ...token, NODE_TLS_REJECT_UNAUTHORIZED: "0" }))).toEqual([
      expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED: found "0"; expected no such variable.*SERVICE_CA_FILE/),
    ]);
    expect(load({ ...token, NODE_TLS_REJECT_UNAUTHORIZED: "1" }).settings.service.url).toBe("https://tenant.example");
  });

  it("needs no more than an address and a token", () => {
    const { settings, secrets } = load(token);

    expect(settings.service).toMatchObject({ url: "https://tenant.example", login: { kind: "token" }, concurrency: 4 });
    expect(settings.queue.kind).toBe("own");
    expect(settings.polling.intervalMs).toBe(30_000);
    expect(secrets.serviceToken).toBe("t0ken-of-ours");
  });

  it("holds no secret beside the environment that the sync file reads", () => {
    const environment = { ...token, HTTPS_PROXY: "http://user:pr0xy@proxy:3128", QUEUE_URL: "redis://:r3dis@queue" };
    const { settings, secrets } = load(environment);
    const { environment: _, ...rest } = settings;

    expect(JSON.stringify(rest)).not.toMatch(/t0ken|pr0xy|r3dis/);
    expect(rest.service.proxy).toEqual({ url: "http://proxy:3128", except: [] });
    expect(secrets.proxyUrl).toBe("http://user:pr0xy@proxy:3128");
  });

  it("reads a login with its lifetime", () => {
    const { settings } = load({
      SERVICE_URL: "https://tenant.example",
      SERVICE_USERNAME: "sync",
      SERVICE_PASSWORD: "p4ss",
      SERVICE_TOKEN_LIFETIME_MINUTES: "-1",
      SERVICE_TOKEN_REFRESH: "false",
    });

    expect(settings.service.login).toEqual({
      kind: "password",
      username: "sync",
      lifeTimeMinutes: -1,
      lifeTimeRefresh: false,
      tokenName: undefined,
    });
  });

  it.each([
    [{ HTTPS_PROXY: "http://a:1" }, "http://a:1"],
    [{ https_proxy: "http://a:1", NO_PROXY: "x, .y " }, "http://a:1"],
    [{ HTTP_PROXY: "http://a:1" }, undefined],
  ])("takes the proxy of the address's scheme: %j", (proxies, url) => {
    expect(load({ ...token, ...proxies }).settings.service.proxy?.url).toBe(url);
  });

  it.each([
    ["redis://h", "redis"],
    ["rediss://h", "redis"],
    ["unix:///run/redis.sock", "redis"],
    ["redis+sentinel://:p@a:26379,b:26379/mymaster/0", "redis"],
    ["rediss+sentinel://a/mymaster", "redis"],
    ["postgres://h/d", "postgres"],
    ["postgresql://h/d", "postgres"],
  ])("knows where the queue is from %s", (url, kind) => {
    expect(load({ ...token, QUEUE_URL: url }).settings.queue.kind).toBe(kind);
  });

  it("lies the process environment over the env file, and an empty value means not set", () => {
    const envFile = fileWith("a.env", "SERVICE_CONCURRENCY=8\nLOG_LEVEL=debug\nERP_URL='sqlite:a#b'\n");
    const { settings } = load({ ...token, SERVICE_CONCURRENCY: "2", LOG_LEVEL: "" }, envFile);

    expect(settings.service.concurrency).toBe(2);
    expect(settings.log.level).toBe("debug");
    expect(settings.environment["ERP_URL"]).toBe("sqlite:a#b");
  });

  it("reports all problems together, sorted, each with what was found and what is wanted", () => {
    const problems = problemsOf(() =>
      load({
        SERVICE_URL: "tenant.example",
        SERVICE_USERNAME: "sync",
        SERVICE_CONCURRENCY: "many",
        LOG_LEVEL: "verbose",
        RETRY_BASE_SECONDS: "60",
        RETRY_MAX_SECONDS: "5",
      }),
    );

    expect(problems).toEqual([
      'LOG_LEVEL: found "verbose"; expected debug, info, warn or error',
      'RETRY_BASE_SECONDS: found "60"; expected at most RETRY_MAX_SECONDS, which is 5',
      'SERVICE_CONCURRENCY: found "many"; expected a whole number from 1 to 64',
      "SERVICE_PASSWORD: found nothing; expected the password of SERVICE_USERNAME",
      'SERVICE_URL: found "tenant.example"; expected an address that begins with https:// or http://',
    ]);
  });

  it("shows as much of a value as says which one it is", () => {
    const [problem] = problemsOf(() => load({ ...token, HEALTH_PORT: "7".repeat(20_000) }));
    expect(problem).toContain("HEALTH_PORT");
    expect(problem!.length).toBeLessThan(300);
  });

  it.each(Object.entries(keys).filter(([, { secret }]) => !secret))(
    "shows no password that was given to %s",
    (name) => {
      for (const password of [
        "S3cret-pass",
        "hunter22",
        "correct horse battery",
        "https://u:pr1vate@h\\x",
        "eyJh.bGci.Oi9J",
      ]) {
        let told = "";
        try {
          load({ ...token, [name]: password });
        } catch (error) {
          told = String(error);
        }
        expect(told).not.toContain(password);
        expect(told).not.toContain("pr1vate");
      }
    },
  );

  it.each([
    ["10 s", '"10 s"'],
    ["nine", '"nine"'],
    ["99999999", '"99999999"'],
    ["hunter22", "8 characters, not shown"],
    ["ftp://sync:pass@host/", "an address with ftp://, not shown"],
  ])("shows a value of which nothing is secret, else its shape: %s", (value, found) => {
    const wanted = "expected a whole number from 1 to 64";
    expect(problemsOf(() => load({ ...token, SERVICE_CONCURRENCY: value }))).toEqual([
      `SERVICE_CONCURRENCY: found ${found}; ${wanted}`,
    ]);
  });

  it.each([
    ["t0ken\n", "a token of ASCII characters, without spaces and line breaks around or in it"],
    ["t0ken t0ken", "a token of ASCII characters, without spaces and line breaks around or in it"],
    ["tökén", "a token of ASCII characters, without spaces and line breaks around or in it"],
  ])("refuses a token that no header takes: %j", (value, wanted) => {
    expect(problemsOf(() => load({ ...token, SERVICE_TOKEN: value }))).toEqual([
      `SERVICE_TOKEN: found a value that is not shown; expected ${wanted}`,
    ]);
  });

  it.each([
    ["mysql://db/svcsync", "an address that begins with postgres:// or postgresql://"],
    [
      " postgres://db/svcsync",
      "an address that begins with postgres:// or postgresql://, without spaces and line breaks around it",
    ],
    [
      "postgres://svcsync:a/b@db/svcsync",
      "a whole address; in user and password # is %23, / is %2F, : is %3A, @ is %40",
    ],
  ])("says what is wrong with the address %j", (value, wanted) => {
    expect(problemsOf(() => load({ ...token, STORE_URL: value }))).toEqual([
      `STORE_URL: found a value that is not shown; expected ${wanted}`,
    ]);
  });

  it("never shows a secret in a problem", () => {
    const problems = problemsOf(() =>
      load({
        SERVICE_URL: "https://sync:s3cret@tenant.example",
        SERVICE_TOKEN: "t0ken",
        SERVICE_PASSWORD: "p4ss",
        QUEUE_URL: "amqp://u:r3dis@h",
        HTTPS_PROXY: "socks5://u:pr0xy@h",
      }),
    );

    expect(problems).toHaveLength(4);
    expect(problems.join()).not.toMatch(/s3cret|t0ken|p4ss|r3dis|pr0xy/);
  });

  it.each([
    [{ SERVICE_URL: "https://a.example" }, "SERVICE_TOKEN: found nothing; expected a token, or SERVICE_USERNAME"],
    [{ ...token, SERVICE_URL: "https://a.example/restApi/v1" }, "the base address alone, without /restApi"],
    [{ ...token, SERVICE_URL: "https://a.example/?x=1" }, "the base address alone"],
    [{ ...token, SERVICE_PASSWORD: "x" }, "SERVICE_PASSWORD: found a value beside SERVICE_TOKEN"],
    [{ ...token, SERVICE_CONNECT_TIMEOUT_SECONDS: "61" }, "at most SERVICE_CALL_TIMEOUT_SECONDS, which is 60"],
    [{ ...token, DELIVERY_LEASE_SECONDS: "60" }, "more than SERVICE_CALL_TIMEOUT_SECONDS, which is 60"],
    [{ ...token, STORE_URL: "postgres://h/d", BACKUP_EVERY: "1d" }, "none beside STORE_URL"],
    [{ ...token, STORE_URL: "mysql://h/d" }, "an address that begins with postgres:// or postgresql://"],
    [{ ...token, QUEUE_URL: "redis+sentinel://a:x,b/mymaster" }, "a whole address"],
    [{ ...token, STORE_SCHEMA: "public" }, "that is not public"],
    [{ ...token, DIALECT_PAGING: "page:page" }, "page:PARAMETER:0"],
    [{ ...token, DIALECT_PAGE_SIZE: "1" }, "a whole number from 2 to 50"],
    [{ ...token, DIALECT_RECORD_PATH: "/{id}" }, "a path with {resource} and {id}"],
    [{ ...token, DIALECT_PATHS: "contignent" }, "pairs such as name=value"],
    [{ ...token, POLL_INTERVAL_SECONDS: "0" }, "seconds from 0.1 to 86400"],
    // What is left of a list of variables that are not set.
    [{ ...token, NOTIFY_EMAIL_TO: ",", SMTP_URL: "smtp://mail" }, 'NOTIFY_EMAIL_TO: found ","; expected at least one'],
    [{ ...token, PAGE_USERS: ", " }, "PAGE_USERS: found a value that is not shown; expected at least one"],
    [
      { ...token, PAGE_PROXY_HEADER: "X-User", PAGE_PROXY_ADDRESSES: "," },
      "expected at least one, separated by commas",
    ],
    // As "docker run --env-file" leaves it, which keeps quotes.
    [
      { ...token, DATA_DIR: '"/data"' },
      "DATA_DIR: found quotes that are part of the value; expected the value without quotes",
    ],
    [{ ...token, DATA_DIR: "/data\r" }, "a path without quotes or spaces around it"],
    [{ ...token, DATA_DIR: "$HOME/svcsync" }, "without ~ or variables"],
    [{ ...token, DATA_DIR: "~/svcsync" }, "without ~ or variables"],
    [{ ...token, DATA_DIR: "%APPDATA%\\svcsync" }, "without ~ or variables"],
  ])("refuses %j", (environment, problem) => {
    expect(problemsOf(() => load(environment)).join()).toContain(problem);
  });

  it("refuse one of several svcsync that has a store or a queue of its own", () => {
    const shared = { ...token, STORE_SHARED: "true" };
    const [store, queue] = ["STORE_URL", "QUEUE_URL"].map(
      (key) => `${key}: found nothing; expected the address that all svcsync share, because STORE_SHARED is true`,
    );
    expect(problemsOf(() => load(shared))).toEqual([queue, store]);
    expect(problemsOf(() => load({ ...shared, QUEUE_URL: "redis://q" }))).toEqual([store]);
    expect(() => load({ ...shared, STORE_URL: "postgres://h/d", QUEUE_URL: "redis://q" })).not.toThrow();
    expect(() => load({ ...token, STORE_SHARED: "false" })).not.toThrow();
  });

  it("reads each part of the dialect", () => {
    const { dialect } = load({
      ...token,
      DIALECT_BRAND: "brand",
      DIALECT_LIST_WRAPPER: "key:rows",
      DIALECT_LIST_KEYS: "svcDocumentTask=task, ticketMessage=message",
      DIALECT_PAGING: "page:p:1",
      DIALECT_SORT: "none",
      DIALECT_TOTAL_KEY: "none",
      DIALECT_PATHS: "svcDocumentTask=svcDocument/{parent}/task",
    }).settings.service;

    expect(dialect).toEqual({
      brand: "brand",
      listWrapper: { key: "rows" },
      listKeys: { svcDocumentTask: "task", ticketMessage: "message" },
      paging: { kind: "page", parameter: "p", first: 1 },
      pageSize: 50,
      sort: undefined,
      totalKey: undefined,
      recordPath: "{resource}/{id}",
      createAnswer: "record",
      arrayUpdate: "object",
      paths: { svcDocumentTask: "svcDocument/{parent}/task" },
    });
  });
});

describe("settings for commands that never call the service", () => {
  it("need neither its address nor a login", () => {
    const { settings } = loadLocalSettings({ environment: { DATA_DIR: "/data" }, envFile: fileWith("empty.env", "") });

    expect(settings.dataDir).toBe("/data");
    expect(settings).not.toHaveProperty("service");
  });

  it("are refused all the same when a value is nonsense", () => {
    const environment = { LOG_LEVEL: "x" };

    expect(problemsOf(() => loadLocalSettings({ environment, envFile: fileWith("empty.env", "") }))).toHaveLength(1);
  });
});

describe("env files", () => {
  it("are asked for by name, so one that is missing is a problem", () => {
    expect(problemsOf(() => load(token, join(folder, "no.env")))).toEqual([
      `--env-file: found ${join(folder, "no.env")} (ENOENT); expected a file that can be read`,
    ]);
  });

  it("are refused where a # would cut a value off unseen", () => {
    const cut = fileWith("a.env", "ERP_PASSWORD=ab#cd\nCRM_PASSWORD=#abcd\n");
    const kept = fileWith(
      "b.env",
      "A_PASSWORD='ab#cd'\nB=x # a comment\nC= # nothing\nD=\"\nE=1#2\n\"\n#F=1#2\nG=# none\n",
    );

    expect(problemsOf(() => load(token, cut))).toEqual([
      "CRM_PASSWORD: found a # inside a value without quotes; expected quotes: CRM_PASSWORD='…#…'",
      "ERP_PASSWORD: found a # inside a value without quotes; expected quotes: ERP_PASSWORD='…#…'",
    ]);
    expect(load(token, kept).settings.environment).toMatchObject({ A_PASSWORD: "ab#cd", B: "x", D: "\nE=1#2\n" });
  });

  it("may not hold unknown keys with our prefixes, and the key that was meant is named", () => {
    const envFile = fileWith("a.env", "SERVICE_TOKN=x\nQUEUE_COLOUR=red\nERP_PASSWORT=mine\n");

    expect(problemsOf(() => load(token, envFile))).toEqual([
      "QUEUE_COLOUR: found an unknown key; expected a key of .env.example",
      "SERVICE_TOKN: found an unknown key; expected a key of .env.example: did you mean SERVICE_TOKEN?",
    ]);
  });

  it("may hold no key of ours in a line that sets nothing", () => {
    const dead = "- STORE_URL=postgres://h/d\nSYNC_FILE erp.yaml\n set DATA_DIR=/d\n";
    const kept = '# STORE_URL=x\n;SYNC_FILE x\nBACKUP_DIR=\nERP_FILE=${DATA_DIR}/x\nA_DATA_DIR=x\nNOTE="\nthe end"\n';

    expect(problemsOf(() => load(token, fileWith("a.env", dead)))).toEqual([
      "DATA_DIR: found a line that sets nothing; expected DATA_DIR=… and nothing before it",
      "STORE_URL: found a line that sets nothing; expected STORE_URL=… and nothing before it",
      "SYNC_FILE: found a line that sets nothing; expected SYNC_FILE=… and nothing before it",
    ]);
    expect(load(token, fileWith("b.env", kept)).settings.dataDir).toBe("data");
  });

  it.each([
    ['SERVICE_TOKEN="abc\n', "SERVICE_TOKEN", "a quote on one side only"],
    ["SERVICE_TOKEN=abc'\n", "SERVICE_TOKEN", "a quote on one side only"],
    ["ERP_PASSWORD='abc\nLOG_LEVEL=info\n", "ERP_PASSWORD", "a quote on one side only"],
    ["ERP_PASSWORD=“abc”x\n", "ERP_PASSWORD", "a quote on one side only"],
    ['ERP_PASSWORD="abc\nLOG_LEVEL=info"\n', "ERP_PASSWORD", "a quote that ends after the line of LOG_LEVEL"],
    ["SERVICE URL=https://a.example\n", "SERVICE_URL", 'the name "SERVICE URL" with a blank in it'],
    ["LOG_LEVEL=info\nERP PASS WORD = x\n", "ERP_PASS_WORD", 'the name "ERP PASS WORD" with a blank in it'],
  ])("are refused with half a quote or a blank in a name: %j", (content, key, found) => {
    const { SERVICE_URL } = token;
    const environment = { SERVICE_URL, SERVICE_USERNAME: "u", SERVICE_PASSWORD: "p" };
    const problems = problemsOf(() => load(environment, fileWith("a.env", content)));
    expect(problems).toContainEqual(expect.stringContaining(`${key}: found ${found}; expected `));
    expect(problems.join()).not.toContain("abc");
  });

  it("may hold quotes inside and around values, and texts over several lines", () => {
    const content = `A='"abc'\nB="it's"\nSIZE=5"\nC="one\nX=two words\n"\nD=it's\nE = 'x y' # it's\n`;
    expect(load(token, fileWith("a.env", content)).settings.environment).toMatchObject({
      A: '"abc',
      B: "it's",
      E: "x y",
    });
  });

  it("are refused where a console of Windows wrote them in UTF-16", () => {
    const path = join(folder, "a.env");
    writeFileSync(path, Buffer.concat([Buffer.from("LOG_LEVEL=info\n"), Buffer.from("DATA_DIR=/data\r\n", "utf16le")]));

    expect(problemsOf(() => load(token, path))).toEqual(["--env-file: found UTF-16 text; expected a file in UTF-8"]);
  });

  it("are refused where a secret file is in Windows-1252, with the place and without the byte", () => {
    const path = join(folder, "secret");
    writeFileSync(path, Buffer.from("gr\xfcn\n", "latin1"));

    expect(problemsOf(() => load({ SERVICE_TOKEN_FILE: path }))).toContain(
      "SERVICE_TOKEN_FILE: found a byte that is not UTF-8: byte 3 of line 1; expected a file in UTF-8",
    );
  });

  it("are refused where a secret file is in UTF-16", () => {
    const path = join(folder, "secret16");
    writeFileSync(path, Buffer.from("secret\r\n", "utf16le"));

    expect(problemsOf(() => load({ SERVICE_TOKEN_FILE: path }))).toContain(
      "SERVICE_TOKEN_FILE: found a byte that is not UTF-8: byte 2 of line 1; expected a file in UTF-8",
    );
  });

  it("are refused in Windows-1252, with line and byte and without the value", () => {
    const path = join(folder, "b.env");
    writeFileSync(path, Buffer.from("LOG_LEVEL=info\nDATA_DIR=/b\xfcro\n", "latin1"));

    expect(problemsOf(() => load(token, path))).toEqual([
      "--env-file: found the byte 0xfc in line 2, at byte 12 of it; expected a file in UTF-8; it seems to be in Windows-1252",
    ]);
  });

  it("may begin with a byte order mark and end their lines as Windows does", () => {
    const envFile = fileWith("a.env", "\uFEFFDATA_DIR=/data\r\nhttps_proxy=http://a:1\r\n");
    const { settings } = load(token, envFile);

    expect(settings.dataDir).toBe("/data");
    expect(settings.service.proxy?.url).toBe("http://a:1");
  });

  it("may hold an ERP's variables, and no slip of a key of ours", () => {
    const theirs = "SFTP_URL=a\nSFTP_PASSWORD=b\nDATADIR=c\nDATA_DB=d\nESTORE_URL=e\nno_proxy=f\n";
    const slips = "STROE_URL=a\nBAKUP_EVERY=b\nDATTA_DIR=c\nnotify_email_to=d\nSYNC_FIL=e\n";

    expect(load(token, fileWith("a.env", theirs)).settings.dataDir).toBe("data");
    expect(problemsOf(() => load(token, fileWith("b.env", slips)))).toEqual(
      [
        ["BAKUP_EVERY", "BACKUP_EVERY"],
        ["DATTA_DIR", "DATA_DIR"],
        ["STROE_URL", "STORE_URL"],
        ["SYNC_FIL", "SYNC_FILE"],
        ["notify_email_to", "NOTIFY_EMAIL_TO"],
      ].map(([name, key]) => `${name}: found an unknown key; expected a key of .env.example: did you mean ${key}?`),
    );
  });
});

describe("the process environment", () => {
  it.each([
    [{ SERVICE_TOKEN: '"abc' }, "SERVICE_TOKEN: found a quote on one side only; expected the value without quotes"],
    [{ SERVICE_TOKEN: "'abc'" }, "SERVICE_TOKEN: found quotes that are part of the value; expected"],
    [{ QUEUE_URL: '"redis://h' }, "QUEUE_URL: found a quote on one side only; expected the value without quotes"],
    [
      { "LOG_LEVEL ": "info" },
      'LOG_LEVEL: found the name "LOG_LEVEL " with a blank in it; expected the name LOG_LEVEL',
    ],
    [{ "LOG LEVEL": "info" }, 'LOG_LEVEL: found the name "LOG LEVEL" with a blank in it'],
  ])("may hold no quotes around values and no blanks in names: %j", (environment, problem) => {
    expect(problemsOf(() => load({ ...token, ...environment }))).toEqual([expect.stringContaining(problem)]);
  });

  it("may hold passwords with quotes", () => {
    const login = { SERVICE_USERNAME: "sync", SERVICE_PASSWORD: '"p4ss' };
    expect(load({ SERVICE_URL: "https://a.example", ...login }).secrets.servicePassword).toBe('"p4ss');
  });

  it("may hold what a container platform puts there, but no near miss", () => {
    const platform = { QUEUE_SERVICE_HOST: "10.0.0.1", QUEUE_PORT: "tcp://10.0.0.1:6379", QUEUE_PORT_6379_TCP: "x" };
    const environment = { ...token, ...platform, LOG_LEVLE: "info" };

    expect(problemsOf(() => load(environment))).toEqual([
      "LOG_LEVLE: found an unknown key; expected a key of .env.example: did you mean LOG_LEVEL?",
    ]);
  });
});

/** The warnings, each with the key that may be meant. */
function warned(content: string, environment: Record<string, string> = {}, used: string[] = []): string[] {
  return environmentWarnings({ envFile: fileWith("w.env", content), environment }, new Set(used)).map(
    ({ key, wanted }) => `${key} -> ${wanted.split(",")[0]}`,
  );
}

describe("variables that look as if they were meant for svcsync", () => {
  it.each([
    ["REDIS_URL", "QUEUE_URL"],
    ["DATABASE_URL", "STORE_URL"],
    ["API_KEY", "SERVICE_TOKEN"],
    ["API_TOKEN", "SERVICE_TOKEN"],
    ["API_URL", "SERVICE_URL"],
    ["PORT", "HEALTH_PORT"],
    ["SLACK_WEBHOOK_URL", "NOTIFY_CHAT_URL"],
    ["SVCSYNC_SERVICE_URL", "SERVICE_URL"],
    ["SVCSYNC_TOKEN", "SERVICE_TOKEN"],
    ["DATADIR", "DATA_DIR"],
    ["dataDir", "DATA_DIR"],
    ["SERVICE-URL", "SERVICE_URL"],
  ])("are named with the key that they may stand for: %s", (name, key) => {
    expect(warned(`${name}=x\n`)).toEqual([`${name} -> ${key}`]);
    const isOften = ["PORT"].includes(name);
    expect(warned("", { [name]: "x" })).toEqual(isOften ? [] : [`${name} -> ${key}`]);
    // The sync file uses it, or our key has a value.
    expect(warned(`${name}=x\n`, {}, [name])).toEqual([]);
  });

  it("are not those of other programs, of a platform, or of the sync file", () => {
    const platform = {
      PATH: "/bin",
      HOSTNAME: "h",
      HOME: "/",
      USER: "u",
      LANG: "C",
      NODE_VERSION: "24",
      BASE_URL: "/",
      REQUESTS_CA_BUNDLE: "/ca.pem",
      SSL_CERT_FILE: "/ca.pem",
      KUBERNETES_SERVICE_HOST: "10.0.0.1",
      QUEUE_SERVICE_HOST: "10.0.0.1",
      QUEUE_SERVICE_PORT_REDIS: "6379",
      QUEUE_PORT: "tcp://10.0.0.1:6379",
      QUEUE_PORT_6379_TCP_ADDR: "10.0.0.1",
      ERP_URL: "x",
      ERP_PASSWORD: "x",
      SFTP_URL: "x",
    };
    expect(warned("", platform)).toEqual([]);
    expect(warned("", { REDIS_URL: "redis://a", QUEUE_URL: "redis://a" })).toEqual([]);
    expect(warned("", { SERVICE_COLOUR: "red" })).toEqual(["SERVICE_COLOUR -> a key of .env.example"]);
  });

  it("or have quotes of their own, without their value being shown", () => {
    const told = environmentWarnings(
      { envFile: fileWith("w.env", ""), environment: { ERP_URL: '"sqlite:x', SERVICE_PASSWORD: "'p4ss'" } },
      new Set(["ERP_URL"]),
    );
    expect(told).toEqual([
      expect.objectContaining({ key: "ERP_URL", found: "a quote on one side only" }),
      expect.objectContaining({ key: "SERVICE_PASSWORD", found: "quotes that are part of the value" }),
    ]);
    expect(JSON.stringify(told)).not.toContain("p4ss");
  });
});

const aPath = "the path of a file that can be read; a value itself belongs into the key without _FILE";

describe("secrets from files", () => {
  it.each(["fr0m-file\n", "\uFEFFfr0m-file\r\n"])(
    "lose the line break at their end and a byte order mark: %j",
    (text) => {
      const login = { SERVICE_USERNAME: "sync", SERVICE_PASSWORD_FILE: fileWith("t", text) };
      const { secrets } = load({ SERVICE_URL: "https://a.example", ...login });

      expect(secrets.servicePassword).toBe("fr0m-file");
    },
  );

  it("are taken anew as soon as they hold a value that can be used", () => {
    const path = fileWith("t", "");
    const texts = { SERVICE_TOKEN: "old", ERP_PASSWORD: "old" };
    const now = (content: string) => {
      writeFileSync(path, content);
      const files = new Map(Object.keys(texts).map((name) => [name, path]));
      return rereadSecretFiles(texts, files);
    };

    expect(now("")).toEqual(texts);
    expect(now("new\n\n")).toEqual({ SERVICE_TOKEN: "old", ERP_PASSWORD: "new\n" });
    expect(now("new\n")).toEqual({ SERVICE_TOKEN: "new", ERP_PASSWORD: "new" });
  });

  it("also fill variables of the sync file whose names say that they are secrets", () => {
    const path = fileWith("p", "erp-p4ss");
    const { environment } = load({ ...token, ERP_PASSWORD_FILE: path, ERP_IMPORT_FILE: path }).settings;

    expect(environment["ERP_PASSWORD"]).toBe("erp-p4ss");
    expect(environment).not.toHaveProperty("ERP_IMPORT");
  });

  it("hold secrets alone: a value that is none belongs into its key", () => {
    expect(problemsOf(() => load({ ...token, STORE_SCHEMA_FILE: "/run/secrets/schema" }))).toEqual([
      "STORE_SCHEMA_FILE: found a file; expected the value itself in STORE_SCHEMA: it is no secret",
    ]);
  });

  it("are not repeated when they were given in the place of a path", () => {
    const problems = problemsOf(() => load({ SERVICE_URL: "https://a.example", SERVICE_TOKEN_FILE: "t0p/s3cret" }));

    expect(problems.join("\n")).toContain("SERVICE_TOKEN_FILE");
    expect(problems.join("\n")).not.toContain("s3cret");
  });

  it("must be there, hold something and stand alone", () => {
    const missing = join(folder, "missing");
    const problems = problemsOf(() =>
      load({
        ...token,
        SERVICE_TOKEN_FILE: fileWith("t", "x"),
        QUEUE_URL_FILE: missing,
        HTTPS_PROXY_FILE: fileWith("e", ""),
      }),
    );

    expect(problems).toEqual([
      "HTTPS_PROXY_FILE: found an empty file; expected a file that holds the value",
      `QUEUE_URL_FILE: found no readable file (ENOENT); expected ${aPath}`,
      "SERVICE_TOKEN_FILE: found SERVICE_TOKEN as well; expected one of the two",
    ]);
  });
});

describe("access to the page", () => {
  const line = "anna:act:scrypt.15.8.3.q1w2e3r4t5z6u7i8o9p0aQ.y1x2c3v4b5n6m7q8w9e0r1t2z3u4i5o6p7a8s9d0f1g";

  it("reads tokens, users and a proxy", () => {
    const { settings, secrets } = access({
      PAGE_TOKEN: "sixteen-letters!",
      PAGE_USERS: `${line}, ${line.replace("anna:act", "rolf:read")}`,
      PAGE_PROXY_HEADER: "X-User",
      PAGE_PROXY_ADDRESSES: "10.0.0.5, ::1, FD00:0:0::A, ::ffff:10.0.0.6",
    });

    // As a socket spells them.
    const addresses = ["10.0.0.5", "::1", "fd00::a", "10.0.0.6"];
    expect(settings.page.proxy).toEqual({ header: "X-User", addresses, role: "read" });
    expect(secrets.pageUsers?.map(({ name, role }) => [name, role])).toEqual([
      ["anna", "act"],
      ["rolf", "read"],
    ]);
  });

  it.each([
    ["PAGE_TOKEN", "short"],
    // No header holds it, so that no script could send it.
    ["PAGE_TOKEN", "sixteen letters €"],
    ["NUDGE_TOKEN", "sixteen letters "],
    ["PAGE_USERS", "anna:act:secret"],
    // The second line would never be asked: a former password would go on to open the page.
    ["PAGE_USERS", `${line}, ${line.replace("q1w2", "w2q1")}`],
    ["PAGE_PROXY_HEADER", "X-User"],
    ["PAGE_PROXY_ADDRESSES", "10.0.0.5"],
    ["PAGE_PROXY_ADDRESSES", "proxy.example.com"],
    // A link of the page must not run a script, and no record may choose the host.
    ["SERVICE_PAGE_URL", "javascript:alert({id})//a/"],
    ["SERVICE_PAGE_URL", "data:text/html,{id}"],
    ["SERVICE_PAGE_URL", "//app.example.com/{id}"],
    ["SERVICE_PAGE_URL", "https://{resource}.example.com/{id}"],
    ["SERVICE_PAGE_URL", "https://user:password@app.example.com/{id}"],
    ["SERVICE_PAGE_URL", "https://app.example.com/{resource}"],
    ["SERVICE_PAGE_URL", "https://app.example.com/{kind}/{id}"],
  ])("refuses %s=%s", (key, value) => {
    expect(() => access({ [key]: value })).toThrow(/PAGE_|NUDGE_/);
  });

  it.each(["https://app.example.com/{resource}/{id}", "http://10.0.0.7:8080/#/{resource}?id={id}"])(
    "takes the address of the service's pages: %s",
    (address) => {
      expect(access({ SERVICE_PAGE_URL: address }).settings.page.servicePage).toBe(address);
    },
  );
});

function access(environment: Readonly<Record<string, string>>) {
  const service = { SERVICE_URL: "https://a.example", SERVICE_TOKEN: "t" };
  return loadSettings({ envFile: "/dev/null", environment: { ...service, ...environment } });
}

describe("the settings of notifications", () => {
  it("are no channel unless one is named", () => {
    const { notify } = load(token).settings;
    expect(notify).toMatchObject({ email: undefined, chat: undefined, webhook: undefined, heartbeatMs: undefined });
    expect(notify).toMatchObject({ afterMs: 900_000, remindMs: 86_400_000, silence: "auto" });
  });

  it("make a mail server of its address, and keep secrets apart", () => {
    const { settings, secrets } = load({
      ...token,
      NOTIFY_EMAIL_TO: "one@example.com, two@example.com",
      SMTP_URL: "smtps://mail.example.com",
      SMTP_USERNAME: "svcsync",
      SMTP_PASSWORD_FILE: fileWith("smtp", "pass word\n"),
      NOTIFY_CHAT_URL: "https://hooks.example.com/secret-path",
      NOTIFY_REMIND_EVERY: "none",
    });
    expect(settings.notify).toMatchObject({
      remindMs: 0,
      email: { host: "mail.example.com", port: 465, implicitTls: true, username: "svcsync", from: "one@example.com" },
      chat: { format: "slack", min: "warning", quiet: undefined },
    });
    expect(secrets).toMatchObject({ smtpPassword: "pass word", chatUrl: "https://hooks.example.com/secret-path" });
    const { environment: _, ...printed } = settings;
    expect(JSON.stringify(printed)).not.toMatch(/pass word|secret-path/);
  });

  it("say once each what is wrong, and show no secret", () => {
    const problems = problemsOf(() =>
      load({
        ...token,
        NOTIFY_EMAIL_TO: "operator",
        NOTIFY_EMAIL_QUIET: "22-7",
        NOTIFY_TIMEZONE: "Berlin",
        NOTIFY_REMIND_EVERY: "daily",
        SMTP_URL: "smtp://user:pa55word@mail.example.com",
        SMTP_USERNAME: "svcsync",
        NOTIFY_CHAT_URL: "hooks.example.com/s3cret",
        NOTIFY_WEBHOOK_KEY: "short-k3y",
      }),
    );
    expect(problems.map((line) => line.split(":")[0])).toEqual([
      "NOTIFY_CHAT_URL",
      "NOTIFY_EMAIL_QUIET",
      "NOTIFY_EMAIL_TO",
      "NOTIFY_REMIND_EVERY",
      "NOTIFY_TIMEZONE",
      "NOTIFY_WEBHOOK_KEY",
      "SMTP_PASSWORD",
      "SMTP_URL",
    ]);
    expect(problems.join()).not.toMatch(/pa55word|s3cret|short-k3y/);
    expect(problems[1]).toBe(
      'NOTIFY_EMAIL_QUIET: found "22-7"; expected spans such as 22:00-07:00, or Mon-Fri 18:00-07:00, Sat-Sun',
    );
  });

  it("say which durations they take", () => {
    const wrong = { BACKUP_EVERY: "soon", DIALECT_SORT: "id", DIALECT_TOTAL_KEY: "a b", NOTIFY_REMIND_EVERY: "daily" };
    const short = { RECONCILE_EVERY: "59m", NOTIFY_SILENCE: "never" };
    expect(problemsOf(() => load({ ...token, ...wrong, ...short }))).toEqual([
      'BACKUP_EVERY: found "soon"; expected none, or a duration of at least 10m such as 12h or 7d',
      'DIALECT_SORT: found "id"; expected PARAMETER=VALUE or none',
      'DIALECT_TOTAL_KEY: found "a b"; expected a member\'s name or none',
      'NOTIFY_REMIND_EVERY: found "daily"; expected a duration such as 12h or 7d, or none',
      'NOTIFY_SILENCE: found "never"; expected a duration such as 36h or 7d, none or auto',
      'RECONCILE_EVERY: found "59m"; expected none, or a duration of at least 1h such as 12h or 7d',
    ]);
    expect(problemsOf(() => load({ ...token, BACKUP_EVERY: "9m" }))).toHaveLength(1);
    const { care } = load({ ...token, BACKUP_EVERY: "10m", RECONCILE_EVERY: "1h" }).settings;
    expect(care).toMatchObject({ backupEveryMs: 600_000, reconcileEveryMs: 3_600_000 });
  });

  it("want both halves of what belongs together", () => {
    expect(problemsOf(() => load({ ...token, NOTIFY_EMAIL_TO: "a@example.com" }))).toEqual([
      "SMTP_URL: found nothing; expected the mail server that NOTIFY_EMAIL_TO needs",
    ]);
    expect(problemsOf(() => load({ ...token, NOTIFY_WEBHOOK_KEY: "0123456789abcdef" }))).toEqual([
      "NOTIFY_WEBHOOK_URL: found nothing; expected the address that NOTIFY_WEBHOOK_KEY signs for",
    ]);
  });
});
