import type { Act } from "./act.ts";
import { adoptAct } from "./adopt.ts";
import { bindAct } from "./bind.ts";
import { channelTestAct } from "./channel-test.ts";
import { compareAct } from "./compare.ts";
import { createAct } from "./create.ts";
import { deletionsAct } from "./deletions.ts";
import { settleFileAct } from "./files.ts";
import { forgetAct } from "./forget.ts";
import { noteAct } from "./note.ts";
import { pauseAct } from "./pause.ts";
import { planAct } from "./plan.ts";
import { pollAct } from "./poll.ts";
import { rereadRecordAct } from "./reread-record.ts";
import { rereadStreamAct } from "./reread-stream.ts";
import { resumeAct } from "./resume.ts";
import { pauseReturnsAct } from "./returns/pause-returns.ts";
import { releaseReturnsAct } from "./returns/release-returns.ts";
import { resumeReturnsAct } from "./returns/resume-returns.ts";
import { returnArrivedAct } from "./returns/arrived.ts";
import { sendReturnAct } from "./returns/send.ts";
import { withdrawReturnAct } from "./returns/withdraw.ts";
import { retryGroupAct } from "./retry-group.ts";
import { retryAct } from "./retry.ts";
import { skipGroupAct } from "./skip-group.ts";
import { skipAct } from "./skip.ts";
import { unbindAct } from "./unbind.ts";
import { watchAct } from "./watch.ts";

/** All acts, in the order in which the page offers them. */
export const acts: readonly Act[] = [
  retryAct,
  bindAct,
  createAct,
  skipAct,
  unbindAct,
  rereadRecordAct,
  watchAct,
  forgetAct,
  retryGroupAct,
  skipGroupAct,
  noteAct,
  resumeAct,
  settleFileAct,
  pollAct,
  pauseAct,
  rereadStreamAct,
  planAct,
  deletionsAct,
  adoptAct,
  sendReturnAct,
  returnArrivedAct,
  withdrawReturnAct,
  releaseReturnsAct,
  resumeReturnsAct,
  pauseReturnsAct,
  compareAct,
  channelTestAct,
];
