import { errorPage } from "../error-page.ts";

export const replicasErrors = errorPage({
  title: "Errors of replicas",
  intro:
    "Several daemons may share a store in PostgreSQL: [how they run together](../guides/replicas.md). " +
    "`svcsync replicas` lists them.",
  entries: {
    E_REPLICA_QUEUE: {
      meaning:
        "Another daemon uses the same store, but a different queue. Daemons that share a store must share the work " +
        "through one queue.",
      normal: "No.",
      remedy: "Give all replicas the same QUEUE_URL (Redis or PostgreSQL), or run only one daemon.",
    },
    E_REPLICA_MAPPING: {
      meaning:
        "This replica's sync file or version of svcsync is not the leader's. Records are delivered by one mapping at a " +
        "time, so this replica delivers nothing until it leads, or has the same file and version.",
      normal: "Yes, while you restart replicas with another sync file or version, one after the other.",
      remedy: "Give all replicas the same sync file and version, and restart those that have the old one.",
      heals: true,
    },
    E_REPLICA_UNSERVED: {
      meaning:
        "The service answers the other replicas, but not this one. This replica leaves its deliveries and its " +
        "share of the requests to the others, and probes the service from time to time.",
      normal: "No.",
      remedy: "Check the network between this machine and the service: DNS, proxy, firewall.",
      heals: true,
    },
    E_REPLICA_SHARE: {
      meaning:
        "This replica has no share of `SERVICE_CONCURRENCY`, so it sends nothing to the service. The others " +
        "continue its deliveries, and no attempt is counted.",
      normal:
        "Yes, for a moment when a replica starts or ends. Permanently, if there are more replicas than requests " +
        "allowed at the same time.",
      remedy: "Nothing. If it lasts, raise SERVICE_CONCURRENCY or run fewer replicas.",
      heals: true,
    },
    E_REPLICA_ALIVE: {
      meaning:
        "`svcsync fence` named a replica that gave a sign of life within the last six seconds. Nothing was changed.",
      normal: "Yes, if the replica is not dead.",
      remedy: "Stop that replica; if its machine hangs, wait a few seconds and run the command again.",
    },
    E_REPLICA_UNKNOWN: {
      meaning: "`svcsync fence` named a replica that is not, or no longer, in the store. Nothing was changed.",
      normal: "Yes, a few seconds after it died: the others have taken over by then.",
      remedy: 'Use a name that "svcsync replicas" shows.',
    },
  },
});
