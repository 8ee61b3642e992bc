import { errorPage } from "../error-page.ts";

export const webErrors = errorPage({
  title: "Errors of the web",
  entries: {
    E_HEALTH_PORT: {
      meaning:
        "The address of health, metrics and the status page (`HEALTH_HOST`, `HEALTH_PORT`) cannot be listened on: " +
        "another program has the port, the address is not one of this machine, or the port needs rights that svcsync " +
        "does not have.",
      normal: "No, except when two svcsync run on one machine with the same port.",
      remedy: "Give HEALTH_PORT another number, or 0 for any free one.",
      more: "With 0 the log says which it became. The message ends with the operating system's own word.",
    },
    E_NOT_READY: {
      meaning:
        "A part that `/readyz` asks for did not answer within its patience of four seconds. It is never thrown: it " +
        "appears in the answer of `/readyz`, at the part's name.\n\n" +
        "`/readyz` answers 200 while this process can serve and poll: `store` and `queue` take writes, and `polls` " +
        "come up. `service` is reported beside them and never makes it 503, because a dead service must not take the " +
        "status page away.",
      normal: "For moments, under heavy load or while the part restarts.",
      remedy: "Look at the part that the message names; nothing is lost meanwhile.",
      more: "Records wait in the store.",
      heals: true,
    },
  },
});
