import { errorPage } from "../error-page.ts";

export const daemonErrors = errorPage({
  title: "Errors of the daemon",
  entries: {
    E_POLL_OVERDUE: {
      meaning:
        "A stream was not polled for three of its intervals, and for at least 30 seconds. svcsync did not ask the " +
        "ERP, because the queue starts no polls.",
      normal: "No. It ends when the next poll starts.",
      remedy:
        "Check the queue, which starts no polls. If the message names something that is missing, such as a right " +
        "or connections, provide it.",
      more:
        "See the part `queue` of `/readyz` and messages of the queue in the log: perhaps the server of `QUEUE_URL` " +
        "cannot be reached, or its memory is full. If the queue is healthy, restart svcsync and report it.",
      heals: true,
    },
    E_QUEUE_FAILED: {
      meaning: "The queue answered, but svcsync could not start its workers.",
      normal: "No.",
      remedy: 'Read the cause in the message; "svcsync check" tests the queue separately.',
    },
    E_NOTIFY_UNREACHABLE: {
      meaning:
        "The mail server or the receiver of a webhook could not be reached, or answered that it cannot take " +
        "messages now. Messages wait and are sent later as one message. Deliveries to the service are not affected.",
      normal: "While the other side is down or restarts.",
      remedy:
        'Check SMTP_URL, NOTIFY_CHAT_URL or NOTIFY_WEBHOOK_URL, the firewall and the proxy; then run "svcsync ' +
        'notify --test".',
      more: "This command tests every channel.",
      heals: true,
    },
    E_NOTIFY_LOGIN: {
      meaning:
        "The mail server refused `SMTP_USERNAME` and `SMTP_PASSWORD`, or the receiver of a webhook answered 401 or " +
        "403. Messages wait and are sent later.",
      normal:
        "No. The credentials were changed, or the server offers no TLS: svcsync sends a password only over an " +
        "encrypted connection.",
      remedy:
        'Correct the credentials of the channel, restart svcsync, then run "svcsync notify --test": SMTP_USERNAME ' +
        "and SMTP_PASSWORD (e-mail), NOTIFY_CHAT_URL (chat), NOTIFY_WEBHOOK_KEY or NOTIFY_WEBHOOK_URL (webhook).",
      more:
        "The secret of a chat is in `NOTIFY_CHAT_URL`. `NOTIFY_WEBHOOK_KEY` must be the key with which the " +
        "receiver checks the signature.",
    },
    E_NOTIFY_REFUSED: {
      meaning:
        "The mail server refused the sender, a recipient or the message; or the receiver of a webhook answered " +
        "with an error such as 404; or `SMTP_CA_FILE` cannot be read. Messages wait and are sent later.",
      normal: "No. The message names what was refused.",
      remedy: 'Correct what the message names (a sender, a recipient, an address); then run "svcsync notify --test".',
      more: "The refused value is in `NOTIFY_EMAIL_TO`, `NOTIFY_EMAIL_FROM`, the address of the webhook or the file.",
    },
    E_BACKUP_DAMAGED: {
      meaning:
        "svcsync made a copy, scheduled or with `svcsync backup`, and found that it was damaged. It deleted the " +
        "copy; earlier copies are kept.",
      normal: "No. The disk of the copy loses data.",
      remedy: "Check the disk of BACKUP_DIR: it does not return what was written to it.",
      more: "See also the system's log, then make a copy with `svcsync backup` on another disk.",
    },
    E_BACKUP_FOLDER: {
      meaning:
        "A scheduled backup was not made: the folder `BACKUP_DIR` does not exist, or svcsync may not write to it. " +
        "svcsync does not create this folder: if its disk were not mounted, the copies would be on the disk of the " +
        "store. Without `BACKUP_DIR`, svcsync creates and uses the folder `backups` in `DATA_DIR`. Or `svcsync " +
        "backup` was given a file in a folder that does not exist or cannot be written to. The store itself is not " +
        "affected.",
      normal: "No.",
      remedy: "Mount the disk or create the folder of BACKUP_DIR, and let svcsync write to it.",
      more: "svcsync tries again within an hour. In a container, `svcsync backup` can write only to `/data`.",
    },
    E_BACKUP_SPACE: {
      meaning:
        "A scheduled backup was not made: the folder has less free space than the size of the store plus 200 MB, " +
        "and a full disk would stop svcsync. Or the disk became full before a copy, scheduled or with `svcsync " +
        "backup`, was complete; svcsync removed the incomplete copy.",
      normal: "No.",
      remedy: "Free space in BACKUP_DIR, choose another folder, or lower BACKUP_KEEP.",
    },
  },
});
