import { errorPage } from "../error-page.ts";

export const daemonErrors = errorPage({
  title: "Errors of the daemon",
  entries: {
    E_POLL_OVERDUE: {
      meaning:
        "A stream was not polled for three of its intervals, and for at least 30 seconds. The ERP was not even asked: " +
        "the queue hands out no polls.",
      normal: "No. It ends with the first poll that comes up.",
      remedy:
        "Look at the queue: it hands out no polls. Give its user what the message says that it lacks, such as a right or connections.",
      more:
        "See the `queue` part of `/readyz` and messages of the queue in the log: the server of `QUEUE_URL` cannot be " +
        "reached or its memory is full. If the queue is healthy, restart svcsync and report it.",
      heals: true,
    },
    E_QUEUE_FAILED: {
      meaning: "The queue answered, but its work could not be started.",
      normal: "No.",
      remedy: 'Read the cause in the message; "svcsync check" looks at the queue alone.',
    },
    E_NOTIFY_UNREACHABLE: {
      meaning:
        "The mail server or the receiver of a webhook could not be reached, or answered that it cannot take messages " +
        "now. Messages wait and are sent later, all in one; deliveries to the service are not affected.",
      normal: "While the other side is down or restarts.",
      remedy:
        "Check SMTP_URL, NOTIFY_CHAT_URL or NOTIFY_WEBHOOK_URL, the firewall and the proxy, then " +
        '"svcsync notify --test".',
      more: "It tries every channel at once.",
      heals: true,
    },
    E_NOTIFY_LOGIN: {
      meaning:
        "The mail server refused `SMTP_USERNAME` and `SMTP_PASSWORD`, or the receiver of a webhook answered 401 or " +
        "403. Messages wait and are sent later.",
      normal:
        "No. Credentials were changed, or the server offers no TLS: svcsync sends a password over an encrypted " +
        "connection only.",
      remedy:
        'Correct what the channel logs in with, restart svcsync, then "svcsync notify --test": SMTP_USERNAME and ' +
        "SMTP_PASSWORD (e-mail), NOTIFY_CHAT_URL (chat), NOTIFY_WEBHOOK_KEY or NOTIFY_WEBHOOK_URL (webhook).",
      more:
        "The secret of a chat is in `NOTIFY_CHAT_URL`. `NOTIFY_WEBHOOK_KEY` must be the same as at the receiver, which " +
        "checks the signature.",
    },
    E_NOTIFY_REFUSED: {
      meaning:
        "The mail server refused the sender, a receiver or the message, the receiver of a webhook answered with an " +
        "error such as 404, or `SMTP_CA_FILE` cannot be read. Messages wait and are sent later.",
      normal: "No. The message names what was refused.",
      remedy: 'Correct what the message names (a sender, a receiver, an address), then "svcsync notify --test".',
      more: "What is refused is in `NOTIFY_EMAIL_TO`, `NOTIFY_EMAIL_FROM`, the webhook's address or the file.",
    },
    E_BACKUP_DAMAGED: {
      meaning:
        "A scheduled backup, or one of `svcsync backup`, was written, and the copy turned out to be damaged. The " +
        "copy was deleted; earlier copies are kept.",
      normal: "No. The disk of the copy loses data.",
      remedy: "Check the disk of BACKUP_DIR: it does not return what was written to it.",
      more: "See also the system's log, then make a copy with `svcsync backup` on another disk.",
    },
    E_BACKUP_FOLDER: {
      meaning:
        "A scheduled backup was not made: there is no folder at `BACKUP_DIR`, or svcsync may not write to it. svcsync " +
        "does not create that folder: if its disk is not mounted, the copies would land on the disk of the store. " +
        "Without `BACKUP_DIR` it is the folder `backups` in `DATA_DIR`, which svcsync creates. Or `svcsync backup` was " +
        "given a file in a folder that takes none. The store itself is not affected.",
      normal: "No.",
      remedy: "Mount the disk or create the folder of BACKUP_DIR, and let svcsync write to it.",
      more: "svcsync tries again within an hour. In a container, `svcsync backup` can write to `/data` alone.",
    },
    E_BACKUP_SPACE: {
      meaning:
        "A scheduled backup was not made: the folder has less free space than the store needs plus 200 MB. Filling the " +
        "disk would stop svcsync. Or the disk was full before the copy, or that of `svcsync backup`, was whole; what " +
        "was written of it is removed.",
      normal: "No.",
      remedy: "Free space in BACKUP_DIR, choose another folder, or lower BACKUP_KEEP.",
    },
  },
});
