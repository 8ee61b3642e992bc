import { errorPage } from "../error-page.ts";

export const webErrors = errorPage({
  title: "Errors of the web",
  entries: {
    E_HEALTH_PORT: {
      meaning:
        "svcsync cannot listen on the address of health, metrics and the status page (`HEALTH_HOST`, " +
        "`HEALTH_PORT`): another program uses the port, the address does not belong to this machine, or the port " +
        "needs rights that svcsync does not have.",
      normal: "No, unless two svcsync daemons run on one machine with the same port.",
      remedy: "Set HEALTH_PORT to another number, or to 0 for any free port.",
      more: "With 0, the log shows the port. The message ends with the error of the operating system.",
    },
    E_NOT_READY: {
      meaning:
        "A part that `/readyz` checks did not answer within four seconds. The code is never thrown: it appears in " +
        "the answer of `/readyz`, under the name of the part.\n\n`/readyz` answers 200 while this process can " +
        "serve and poll: `store` and `queue` accept writes, and `polls` start on time. It also reports `service`, " +
        "but a failing service never makes it 503, because the status page must stay available.",
      normal: "For moments, under heavy load or while the part restarts.",
      remedy: "Check the part that the message names; nothing is lost.",
      more: "Records wait in the store.",
      heals: true,
    },
  },
});
