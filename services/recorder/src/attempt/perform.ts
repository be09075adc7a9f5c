import { create } from "@bufbuild/protobuf";
import { type FinishRecordingRequest, RenderedVideoSchema } from "@muster/proto/recordings";
import { ClaimStopped } from "@muster/service/claim";
import { RenderError } from "@muster/video";
import type { RecorderContext } from "../context.ts";
import type { Rendered } from "../renderer.ts";
import { removeUnneeded } from "../upkeep/remove-unneeded.ts";
import type { Attempt } from "./attempt.ts";
import { keepLease } from "./keep-lease.ts";
import { ownCall } from "./own-call.ts";
import { meansDiskFull, sentenceOf } from "./problems.ts";
import { readTimeline } from "./read-timeline.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";

/** Videos have one size. */
const size = { width: 1280, height: 720 } as const;

type Outcome = FinishRecordingRequest["outcome"];

const released: Outcome = { case: "released", value: true };

/**
 * Renders a claimed recording: reads its timeline, renders it in another process, stores the files under the epoch of
 * the claim, and reports the result. Never throws. If this process dies on the way, the lease ends and another recorder
 * begins again.
 */
export async function perform(context: RecorderContext, attempt: Attempt): Promise<void> {
  const { log } = context;
  const { key } = attempt;
  let outcome: Outcome = released;
  try {
    outcome = await outcomeOf(context, attempt);
    await finish(context, attempt, outcome);
    log.info({ ...key, outcome: outcome.case }, "an attempt to render a recording has ended");
    if (outcome.case === "video") await removeEarlier(context, attempt);
  } catch (error) {
    const isStopped = error instanceof ClaimStopped;
    if (isStopped) log.info({ ...key, reason: error.stop }, "an attempt to render a recording was ended");
    else log.warn({ err: error, ...key }, "the end of an attempt could not be stored; its lease ends");
    if (!isStopped || error.stop !== "lost") return;
    if (outcome.case === "released" || outcome.case === "video") await giveBackLate(context, attempt);
    if (attempt.isStoring) await removeOwn(context, attempt);
  }
}

/** The recording did not end this process, so the attempt must not count, however little processor time there was. */
async function giveBackLate({ recordings, callAsPlatform, log }: RecorderContext, { key }: Attempt) {
  await recordings
    .finishRecording({ ...key, outcome: released }, callAsPlatform())
    .catch((error: unknown) => {
      log.info({ err: error, ...key }, "a lost attempt could not be given back, and counts");
    });
}

async function outcomeOf(context: RecorderContext, attempt: Attempt): Promise<Outcome> {
  // Ends before the outcome is stored: a final recording has no lease, so a renewal would look like a loss.
  const endLease = keepLease(context, attempt);
  try {
    const { durationMs, sizeBytes } = await renderAndStore(context, attempt);
    const value = { durationMs: BigInt(Math.round(durationMs)), sizeBytes: BigInt(sizeBytes), ...size };
    return { case: "video", value: create(RenderedVideoSchema, value) };
  } catch (error) {
    if (attempt.cause === "draining") return released;
    attempt.check();
    if (error instanceof RenderError && error.failure === "starved") {
      context.log.info({ ...attempt.key }, "a recording got too little processor time, and waits again");
      return released;
    }
    if (meansDiskFull(error)) {
      context.log.warn({ err: error, ...attempt.key }, "a recording waits for space on the recorder's disk");
      return { case: "diskFull", value: true };
    }
    context.log.warn({ err: error, ...attempt.key }, "a recording could not be rendered");
    return { case: "error", value: sentenceOf(error) };
  } finally {
    endLease();
  }
}

async function renderAndStore(context: RecorderContext, attempt: Attempt): Promise<Rendered> {
  const workplace = await openWorkplace();
  try {
    await readTimeline(context, attempt, workplace.timeline);
    const rendered = await renderIn(workplace, context, attempt);
    attempt.beginStoring();
    await context.storage.put(attempt.key, rendered).catch((error: unknown) => {
      context.disk.failed(error);
      throw error;
    });
    return rendered;
  } finally {
    await workplace.remove().catch((error: unknown) => {
      context.log.warn(
        { err: error },
        "the folder of an attempt could not be removed; the sweep tries again",
      );
    });
  }
}

async function renderIn(
  { timeline, output }: Workplace,
  { render, theme, priority, timings, clock }: RecorderContext,
  { facts, key, stopping }: Attempt,
): Promise<Rendered> {
  const hasWaited = key.epoch > 1 || clock.now() - facts.endedAtMs > timings.patienceMs;
  const job = {
    facts,
    timelineFile: timeline,
    outputDirectory: output,
    theme,
    priority: hasWaited ? ("normal" as const) : priority,
  };
  return await render(job, { signal: stopping });
}

async function finish(context: RecorderContext, attempt: Attempt, outcome: Outcome): Promise<void> {
  const { recordings, callAsPlatform, timings } = context;
  const signal = attempt.abandoning;
  await ownCall(context, attempt, { signal, forMs: timings.repeatForMs }, () =>
    recordings.finishRecording({ ...attempt.key, outcome }, callAsPlatform({ signal })),
  );
}

/**
 * Files of attempts that died between storing and reporting them. Later attempts do not exist: this one was the last.
 */
async function removeEarlier({ storage, log }: RecorderContext, { key }: Attempt): Promise<void> {
  try {
    for (let epoch = 1; epoch < key.epoch; epoch += 1) await storage.removeAttempt({ ...key, epoch });
  } catch (error) {
    log.warn({ err: error, ...key }, "files of earlier attempts could not be removed; the sweep tries again");
  }
}

async function removeOwn(context: RecorderContext, { key }: Attempt): Promise<void> {
  try {
    await removeUnneeded(context, { ...key, storedAtMs: context.clock.now() });
  } catch (error) {
    context.log.warn(
      { err: error, ...key },
      "files of a lost attempt could not be removed; the sweep tries again",
    );
  }
}
