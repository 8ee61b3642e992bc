import { errorPage } from "../error-page.ts";

export const queueErrors = errorPage({
  title: "Errors of the queue",
  intro:
    "The queue contains only jobs that name records and streams. None of these errors loses data: the store knows " +
    "which records are due, and svcsync queues them again.",
  entries: {
    E_QUEUE_UNREACHABLE: {
      meaning:
        "The server that `QUEUE_URL` names does not answer: it is down or restarting, or the network or a firewall " +
        "blocks the connection.",
      normal: "For a moment, while the server restarts. Deliveries and polls pause and then resume automatically.",
      remedy:
        "If it lasts, check QUEUE_URL, and whether its server runs and this machine reaches it. For a certificate " +
        "of a private authority, set NODE_EXTRA_CA_CERTS. Without QUEUE_URL, svcsync runs its own queue.",
      more:
        'Try `redis-cli -u "$QUEUE_URL" ping` or `psql "$QUEUE_URL"`, and with Redis Sentinel `redis-cli -h HOST ' +
        "-p 26379 sentinel get-master-addr-by-name mymaster`: this machine must also reach the address that " +
        "Sentinel returns.",
      heals: true,
    },
    E_QUEUE_REFUSED: {
      meaning:
        "The server answered, but refused a command; the message contains its error text. Usually its memory is " +
        "full (`OOM`), it is a read-only replica (`READONLY`), or it is a node of a Redis Cluster (`MOVED`, " +
        "`CROSSSLOT`), which svcsync does not support.",
      normal:
        "No. As long as it refuses writes, nothing is polled or delivered and `/readyz` answers 503; work resumes " +
        "when it accepts writes again.",
      remedy:
        "Give the queue's server more memory, set QUEUE_URL to the primary or to a server without cluster mode, or " +
        "grant the user the missing rights.",
      heals: true,
    },
    E_QUEUE_DENIED: {
      meaning:
        "The server denies access: user, password or database of `QUEUE_URL` are wrong, the user may not run a command " +
        "(`NOPERM`), or, on PostgreSQL, the user may not create the schema.",
      normal:
        "No. svcsync does not start. If it already runs, it logs the error once, polls and delivers nothing, and " +
        "resumes when the server accepts it again.",
      remedy:
        "Correct QUEUE_URL. If the message names a command, grant it to the user of Redis; on PostgreSQL grant " +
        "CREATE on the database.",
      more:
        "Write special characters in a password in percent encoding, such as `%40`. On Redis, grant the user all " +
        "commands on keys that begin with the prefix, `INFO`, and scripts. User and password are those of the " +
        "Redis servers; if Sentinel has different ones, add `?sentinel_password=…`, and `sentinel_username` for a " +
        "named user. On PostgreSQL you can also create the schema (`svcsync`, or the `prefix` of the address) for " +
        "the user.",
    },
    E_QUEUE_VERSION: {
      meaning: "The server is too old for BullMQ: Redis before 6.2, or PostgreSQL before 13.",
      normal: "No.",
      remedy: "Upgrade the queue's server, or leave QUEUE_URL empty: svcsync then runs its own queue.",
    },
    E_QUEUE_SENTINEL: {
      meaning:
        "Every Sentinel of `QUEUE_URL` answers, but none of them monitors a primary with the name that follows the " +
        "hosts.",
      normal: "No. Waiting would not help, so svcsync ends.",
      remedy:
        "Copy the name after `sentinel monitor` in sentinel.conf into QUEUE_URL, as in " +
        "`redis+sentinel://host:26379/mymaster`.",
    },
    E_QUEUE_URL: {
      meaning:
        "`QUEUE_URL` is not a valid address, names no primary after the hosts of Redis Sentinel, or its `prefix` " +
        "is not a plain name.",
      normal: "No.",
      remedy: "Write QUEUE_URL like `redis://user:password@host:6379/0` or `postgres://user:password@host/database`.",
      more:
        "`rediss://…` uses TLS, `unix:///run/redis.sock` a socket. Redis Sentinel is " +
        "`redis+sentinel://user:password@host:26379,host:26379/mymaster/0`, or `rediss+sentinel://…` with TLS to " +
        "both Sentinel and server. The prefix may contain letters, digits and underscores: `?prefix=tenant_a`.",
    },
    E_REDIS_FAILED: {
      meaning: "The private Redis did not start; the message contains its last output.",
      normal: "No.",
      remedy: "Check that svcsync can write to DATA_DIR and the temporary folder, and that enough memory is free.",
      more:
        "If the path is very long or the file system supports no sockets, svcsync automatically uses the temporary " +
        "folder.",
    },
  },
});
