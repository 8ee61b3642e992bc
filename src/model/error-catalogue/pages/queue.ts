import { errorPage } from "../error-page.ts";

export const queueErrors = errorPage({
  title: "Errors of the queue",
  intro:
    "The queue holds jobs that name records and streams, and nothing else. None of these errors loses data: what " +
    "is due is in the store and is woken again.",
  entries: {
    E_QUEUE_UNREACHABLE: {
      meaning:
        "The server that `QUEUE_URL` names does not answer: it is down, restarting, or a network or firewall stands " +
        "between.",
      normal: "For a moment, while the server restarts. Deliveries and polls pause meanwhile and resume automatically.",
      remedy:
        "If it stays, check QUEUE_URL, that its server runs and that this machine reaches it, and for a certificate of your " +
        "own authority name that in NODE_EXTRA_CA_CERTS; without QUEUE_URL svcsync starts a private one.",
      more:
        'Try `redis-cli -u "$QUEUE_URL" ping` or `psql "$QUEUE_URL"`, and with Redis Sentinel ' +
        "`redis-cli -h HOST -p 26379 sentinel get-master-addr-by-name mymaster`: this machine must also reach the " +
        "address that Sentinel answers.",
      heals: true,
    },
    E_QUEUE_REFUSED: {
      meaning:
        "The server answered, but refused a command; the message repeats its words. Most often its memory is full " +
        "(`OOM`), it is a replica that only reads (`READONLY`), or a node of a Redis Cluster (`MOVED`, `CROSSSLOT`), which " +
        "svcsync does not support.",
      normal:
        "No. As long as it refuses writes, nothing is polled or delivered and `/readyz` answers 503; work resumes once " +
        "it takes writes again.",
      remedy:
        "Give the queue's server more memory, name the primary in QUEUE_URL or a server without cluster mode, or grant the " +
        "user what it lacks.",
      heals: true,
    },
    E_QUEUE_DENIED: {
      meaning:
        "The server denies access: user, password or database of `QUEUE_URL` are wrong, the user may not run a command " +
        "(`NOPERM`), or, on PostgreSQL, the user may not create the schema.",
      normal:
        "No. svcsync does not start with it. One that runs logs it once, polls and delivers nothing, and resumes once " +
        "the server accepts it again.",
      remedy:
        "Correct QUEUE_URL. Where the message names a command, grant it to the user of Redis; on PostgreSQL grant CREATE on the database.",
      more:
        "Special characters in a password are written as `%40` and the like. On Redis give the user all commands on " +
        "keys that begin with the prefix, `INFO`, and scripts. User and password are those of the Redis servers; where " +
        "Sentinel asks for its own, add `?sentinel_password=…`, and `sentinel_username` for a named user. On PostgreSQL you can also create the schema " +
        "(`svcsync`, or the `prefix` of the address) for the user.",
    },
    E_QUEUE_VERSION: {
      meaning: "The server is too old for BullMQ: Redis before 6.2, or PostgreSQL before 13.",
      normal: "No.",
      remedy: "Upgrade the queue's server, or leave QUEUE_URL empty for a private one.",
    },
    E_QUEUE_SENTINEL: {
      meaning:
        "Every Sentinel of `QUEUE_URL` answers, and none of them watches a primary of the name that stands after the hosts.",
      normal: "No. Waiting would not help, so svcsync ends.",
      remedy:
        "Write the name from `sentinel monitor` in sentinel.conf into QUEUE_URL, as in `redis+sentinel://host:26379/mymaster`.",
    },
    E_QUEUE_URL: {
      meaning:
        "`QUEUE_URL` cannot be read as an address, names no primary after the hosts of Redis Sentinel, or its `prefix` " +
        "is not a plain name.",
      normal: "No.",
      remedy: "Write QUEUE_URL like `redis://user:password@host:6379/0` or `postgres://user:password@host/database`.",
      more:
        "`rediss://…` uses TLS, `unix:///run/redis.sock` a socket. Redis Sentinel is " +
        "`redis+sentinel://user:password@host:26379,host:26379/mymaster/0`, or `rediss+sentinel://…` with TLS to Sentinel " +
        "and server alike. The prefix is made of letters, digits and " +
        "underscores: `?prefix=tenant_a`.",
    },
    E_REDIS_MISSING: {
      meaning:
        "`QUEUE_URL` is empty, so svcsync wants to start a Redis of its own, but neither `redis-server` nor " +
        "`valkey-server` is on the PATH and answers `--version` within five seconds.",
      normal: "On a machine where neither was ever installed. The container has one.",
      remedy: "Install Redis or Valkey as the message says, or set QUEUE_URL.",
    },
    E_REDIS_FAILED: {
      meaning: "The private Redis did not start; the message repeats its last words.",
      normal: "No.",
      remedy: "Check that DATA_DIR and the temporary folder can be written, and that memory is left.",
      more:
        "Where a very long path or a file system without sockets is the cause, svcsync uses the temporary folder " +
        "automatically.",
    },
  },
});
