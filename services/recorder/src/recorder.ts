import { setTimeout } from "node:timers/promises";
import type { ClaimedRecording } from "@muster/proto/recordings";
import { Claim, drainClaims } from "@muster/service/claim";
import type { RecordingName } from "@muster/storage/recordings";
import { Attempt } from "./attempt/attempt.ts";
import { perform } from "./attempt/perform.ts";
import type { RecorderContext } from "./context.ts";

/** Instances with this name share the events. */
const consumer = "recorder";

export type Recorder = ReturnType<typeof createRecorder>;

/**
 * Claims recordings and renders them, a bounded number at a time. Events say that one waits; a poll finds those that no event
 * announced and those that other recorders have left.
 */
export function createRecorder(context: RecorderContext) {
  const { bus, recordings, callAsPlatform, disk, instance, concurrency, timings, log } = context;
  const active = new Map<Attempt, Promise<void>>();
  /** By id. Events that arrive while all places are taken are dropped: a free place polls for all. */
  const announced = new Map<string, RecordingName>();
  /** Claiming itself, which ends with the process. */
  const claiming = new Claim();
  const closers: Array<() => unknown> = [];
  let filling: Promise<void> | undefined;
  let polling: Promise<void> | undefined;
  let isAway = false;

  const fill = (): Promise<void> => {
    filling ??= claimAll().finally(() => {
      filling = undefined;
    });
    return filling;
  };

  /** Claims until all places are taken or nothing waits. */
  const claimAll = async (): Promise<void> => {
    try {
      while (!claiming.stopping.aborted && active.size < concurrency && !(await disk.isFull())) {
        const name = takeAnnounced();
        const claimed = await claim(name);
        if (claimed !== undefined) begin(claimed);
        else if (name === undefined && announced.size === 0) break;
      }
      if (isAway) log.info("recordings can be claimed again");
      isAway = false;
    } catch (error) {
      if (!isAway) log.warn({ err: error }, "recordings cannot be claimed; the next poll tries again");
      isAway = true;
    }
    announced.clear();
  };

  const takeAnnounced = (): RecordingName | undefined => {
    const [name] = announced.values();
    if (name !== undefined) announced.delete(name.recordingId);
    return name;
  };

  const claim = async (name: RecordingName | undefined): Promise<ClaimedRecording | undefined> => {
    const request = { recorder: instance, ...name };
    return (await recordings.claimRecording(request, callAsPlatform({ signal: claiming.abandoning })))
      .recording;
  };

  const begin = (claimed: ClaimedRecording): void => {
    const attempt = new Attempt(claimed);
    const ended = perform(context, attempt).finally(() => {
      active.delete(attempt);
      void fill();
    });
    active.set(attempt, ended);
    if (claiming.stopping.aborted) attempt.stop("draining");
  };

  const poll = async (): Promise<void> => {
    while (!claiming.stopping.aborted) {
      await fill();
      await setTimeout(timings.pollEveryMs, undefined, { signal: claiming.stopping }).catch(() => undefined);
    }
  };

  const allEnded = async (): Promise<void> => {
    await filling;
    await Promise.all(active.values());
  };

  return {
    start: async (): Promise<void> => {
      closers.push(bus.onRebuild(() => void fill()));
      const subscription = await bus.subscribe("workforce.recording", { consumer }, async (name) => {
        if (active.size < concurrency) announced.set(name.recordingId, name);
        void fill();
      });
      closers.push(() => subscription.close());
      polling = poll();
    },

    /** The attempts of this process. For tests and figures. */
    get size(): number {
      return active.size;
    },

    /**
     * Claims nothing more, ends all rendering at once and gives the recordings back, so that other recorders take them
     * up. A rendering in progress is finished, within the configured time.
     */
    drain: async (): Promise<void> => {
      const closed = closers.splice(0).map((close) => close());
      await drainClaims(
        () => [claiming, ...active.keys()],
        timings.drainMs,
        () => Promise.all([...closed, allEnded(), polling]),
      );
    },
  };
}
