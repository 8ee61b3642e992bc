import { errorPage } from "../error-page.ts";

export const replicasErrors = errorPage({
  title: "Errors of replicas",
  intro:
    "Several daemons may share a store in PostgreSQL: [how they run together](../guides/replicas.md). " +
    "`svcsync replicas` lists them.",
  entries: {
    E_REPLICA_QUEUE: {
      meaning:
        "Another daemon works on the same store, and its queue is another one. Daemons that share a store share the work " +
        "through one queue.",
      normal: "No.",
      remedy: "Give all replicas the same QUEUE_URL (Redis or PostgreSQL), or run one daemon only.",
    },
    E_REPLICA_MAPPING: {
      meaning:
        "This replica's sync file or version of svcsync is not the leader's. Records are delivered by one mapping at a " +
        "time, so this replica delivers nothing until it leads, or has the same file and version.",
      normal: "Yes, while replicas are restarted with another sync file or version, one after the other.",
      remedy: "Give all replicas the same sync file and version, and restart those that have the old one.",
      heals: true,
    },
    E_REPLICA_UNSERVED: {
      meaning:
        "The service answers the other replicas, and not this one. It leaves deliveries and its share of the requests to " +
        "them, and asks the service from time to time.",
      normal: "No.",
      remedy: "Check the network between this machine and the service: DNS, proxy, firewall.",
      heals: true,
    },
    E_REPLICA_SHARE: {
      meaning:
        "This replica has no share of `SERVICE_CONCURRENCY`, so it sends nothing to the service. What it had begun is left to " +
        "the others, and no attempt is counted.",
      normal:
        "Yes, for a moment when a replica comes or goes; always where there are more replicas than requests at once.",
      remedy: "Nothing. If it stays, raise SERVICE_CONCURRENCY or run fewer replicas.",
      heals: true,
    },
    E_REPLICA_ALIVE: {
      meaning: "`svcsync fence` named a replica that was heard of within the last six seconds. Nothing was changed.",
      normal: "Yes, when it was not dead after all.",
      remedy: "Stop that replica; if its machine hangs, wait some seconds and fence it again.",
    },
    E_REPLICA_UNKNOWN: {
      meaning: "`svcsync fence` named a replica that the store does not know, or no longer. Nothing was changed.",
      normal: "Yes, a few seconds after it died: the others have taken over by then.",
      remedy: 'Take the name from "svcsync replicas".',
    },
  },
});
