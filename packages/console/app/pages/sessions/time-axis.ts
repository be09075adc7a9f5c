import { duration } from "../../parts/format.ts";
import { flatten, type Step } from "./step.ts";

interface Gap {
  fromMs: number;
  toMs: number;
}

export interface TimeAxis {
  /** Where an instant is, from 0 to 1. */
  at: (ms: number) => number;
  /** Waiting that is drawn shorter than it was. */
  gaps: readonly (Gap & { label: string })[];
  ticks: readonly { at: number; label: string }[];
  /** How long the agent itself worked. */
  busyMs: number;
}

/** Waiting below this is drawn to scale. */
const shortestGapMs = 2_000;

/**
 * One axis for these turns. Where nothing but waiting happens for long, it has a gap: hours until a user decides would
 * leave no room for the seconds that matter.
 */
export function timeAxis(turns: readonly Step[], nowMs: number): TimeAxis {
  const steps = flatten(turns);
  const fromMs = Math.min(...steps.map(({ startMs }) => startMs));
  const toMs = Math.max(fromMs + 1, ...steps.map(({ startMs, endMs = nowMs }) => Math.max(startMs, endMs)));
  const gaps = gapsBetween(busyTimes(steps, nowMs), { fromMs, toMs });
  const busyMs = toMs - fromMs - gaps.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const gapShare = gaps.length === 0 ? 0 : Math.min(0.08, 0.35 / gaps.length);
  const perMs = (1 - gapShare * gaps.length) / Math.max(busyMs, 1);
  const at = (ms: number) => {
    let place = 0;
    let lastMs = fromMs;
    for (const gap of gaps) {
      if (ms <= gap.fromMs) break;
      place += (gap.fromMs - lastMs) * perMs;
      const within = (Math.min(ms, gap.toMs) - gap.fromMs) / (gap.toMs - gap.fromMs);
      place += within * gapShare;
      lastMs = gap.toMs;
    }
    return Math.min(1, Math.max(0, place + Math.max(0, ms - lastMs) * perMs));
  };
  const labelled = gaps.map((gap) => ({ ...gap, label: duration(gap.toMs - gap.fromMs) }));
  return { at, gaps: labelled, ticks: ticksOf({ fromMs, busyMs, gaps, at }), busyMs };
}

function busyTimes(steps: readonly Step[], nowMs: number): Gap[] {
  return steps
    .filter(({ kind, isWaiting }) => !isWaiting && kind !== "turn" && kind !== "worker")
    .map(({ startMs, endMs = nowMs }) => ({ fromMs: startMs, toMs: endMs }))
    .concat(steps.map(({ startMs }) => ({ fromMs: startMs, toMs: startMs })))
    .sort((one, other) => one.fromMs - other.fromMs);
}

function gapsBetween(busy: readonly Gap[], { fromMs, toMs }: Gap): Gap[] {
  const gaps: Gap[] = [];
  let untilMs = fromMs;
  for (const time of [...busy, { fromMs: toMs, toMs }]) {
    if (time.fromMs - untilMs > shortestGapMs) gaps.push({ fromMs: untilMs, toMs: time.fromMs });
    untilMs = Math.max(untilMs, time.toMs);
  }
  return gaps;
}

const steps = [1, 2, 5].flatMap((digit) => [1, 10, 100, 1_000, 10_000].map((unit) => digit * unit));
const tickLengths = [...steps, 60_000, 300_000, 600_000, 3_600_000].sort((one, other) => one - other);

/** Labelled with the time that the agent worked: gaps have labels of their own. */
function ticksOf({
  fromMs,
  busyMs,
  gaps,
  at,
}: {
  fromMs: number;
  busyMs: number;
  gaps: Gap[];
  at: TimeAxis["at"];
}) {
  const length = tickLengths.find((each) => busyMs / each <= 5) ?? busyMs / 5;
  const ticks: { at: number; label: string }[] = [];
  for (let workedMs = 0; workedMs <= busyMs * 0.94; workedMs += length) {
    let ms = fromMs + workedMs;
    for (const gap of gaps) if (gap.fromMs < ms) ms += gap.toMs - gap.fromMs;
    ticks.push({ at: at(ms), label: workedMs === 0 ? "0" : duration(workedMs).replace(".0", "") });
  }
  return ticks;
}
