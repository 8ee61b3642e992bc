import { noChannel } from "../state/channel-tests.ts";
import { defineAct } from "./act.ts";

export const channelTestAct = defineAct({
  name: "test",
  target: "installation",
  needs: "daemon",
  help: "Send a test message through every channel now, even during quiet hours",
  inputHelp: "none; the answer is `channels`, each with `channel`, `isDelivered`, or `error` and `remedy`",
  audit: "notify",
  run: ({ testChannels }, { signal }, by) => testChannels(by, signal),
  undone: (channels) => (channels.length === 0 ? noChannel : undefined),
  answer: (channels) => ({ channels }),
  path: "/notify/test",
  command: "notify --test",
});
