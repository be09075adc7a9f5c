import { Bot, CircleAlert, Hourglass, Play, Sparkles, StickyNote, Wrench } from "lucide-react";
import { memo } from "react";
import { count, duration, money } from "../../parts/format.ts";
import { percent } from "./axis.tsx";
import { type Step, type StepKind, type StepState, usedBy, wordsOf } from "./step.ts";
import type { TimeAxis } from "./time-axis.ts";

/** The columns of the waterfall; a phone shows the first three. */
export const tracks =
  "grid grid-cols-[minmax(12rem,4fr)_minmax(0,5fr)_3.4rem_3.4rem_2.8rem_3.8rem] items-center gap-x-3 max-lg:grid-cols-[minmax(8rem,4fr)_minmax(0,5fr)_3.4rem_3.8rem] max-md:grid-cols-[minmax(8rem,2fr)_minmax(0,3fr)_3.6rem] max-md:gap-x-2";

const icons: Readonly<Record<StepKind, typeof Bot>> = {
  turn: Play,
  model: Sparkles,
  tool: Wrench,
  approval: Hourglass,
  worker: Bot,
  error: CircleAlert,
  note: StickyNote,
};

const bars: Readonly<Record<StepKind, string>> = {
  turn: "bg-line",
  model: "bg-accent",
  tool: "bg-accent/55",
  approval: "border border-dashed border-warn",
  worker: "bg-muted/45",
  error: "bg-bad",
  note: "bg-muted",
};

const colours: Readonly<Record<StepState, string>> = {
  running: "text-accent",
  waiting: "text-warn",
  completed: "",
  failed: "text-bad",
  cancelled: "text-muted",
};

interface Props {
  id: string;
  step: Step;
  axis: TimeAxis;
  nowMs: number;
  isSelected: boolean;
  onSelect: (step: Step) => void;
}

export const StepRow = memo(function StepRow({ id, step, axis, nowMs, isSelected, onSelect }: Props) {
  const { kind, title, depth, state, stats, startMs, endMs = nowMs } = step;
  const Icon = icons[kind];
  const took = duration(Math.max(0, endMs - startMs));
  const used = usedBy(step);
  const words = kind === "turn" ? wordsOf(step) : undefined;
  const isPoint = kind === "error" || kind === "note";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      data-row={step.id}
      onClick={() => onSelect(step)}
      className={`${tracks} h-8 border-b border-line/60 px-3 hover:bg-raised aria-selected:bg-raised aria-selected:shadow-[inset_2px_0_var(--accent)]`}
      style={{ contentVisibility: "auto", containIntrinsicSize: "auto 32px" }}
    >
      <span
        className={`flex min-w-0 items-center gap-1.5 ${colours[state]} ${kind === "turn" ? "font-medium" : ""}`}
        style={{ paddingLeft: depth * 14 }}
      >
        <Icon size={14} aria-hidden="true" className="shrink-0" />
        <span className="sr-only">{`${kind}, ${state}: `}</span>
        <span className={words === undefined ? "truncate" : "shrink-0"} title={title}>
          {shortTitle(step)}
        </span>
        {words !== undefined && <span className="truncate font-normal text-muted">{words}</span>}
      </span>
      <span className="relative h-full">
        {axis.gaps.map((gap) => (
          <span
            key={gap.fromMs}
            className="absolute inset-y-0 border-x border-dashed border-line"
            style={{ left: percent(axis.at(gap.fromMs)), right: percent(1 - axis.at(gap.toMs)) }}
          />
        ))}
        <Bar step={step} axis={axis} endMs={endMs} />
      </span>
      <span className={`text-right whitespace-nowrap ${step.isWaiting ? "text-warn" : "text-muted"}`}>
        {isPoint ? "" : took}
      </span>
      <span className="text-right whitespace-nowrap text-muted max-lg:hidden">
        {stats?.firstPartMs !== undefined && duration(stats.firstPartMs)}
      </span>
      <span className="text-right text-muted max-lg:hidden">
        {used !== undefined && used.tokens > 0 && count(used.tokens)}
      </span>
      <span className="text-right text-muted max-md:hidden">
        {used !== undefined && used.usd > 0 && money(used.usd)}
      </span>
    </div>
  );
});

function Bar({ step, axis, endMs }: { step: Step; axis: TimeAxis; endMs: number }) {
  const { kind, state, startMs, stats, isWaiting } = step;
  const [left, right] = [axis.at(startMs), axis.at(endMs)];
  const first = axis.at(startMs + (stats?.firstPartMs ?? 0));
  const look = state === "failed" ? "bg-bad" : isWaiting ? "border border-dashed border-warn" : bars[kind];
  const height = kind === "turn" ? "h-1" : "h-3";
  return (
    <span
      className={`absolute top-1/2 min-w-1 -translate-y-1/2 overflow-hidden rounded-[3px] ${height} ${look} ${state === "running" ? "pulse-dot" : ""}`}
      style={{ left: percent(Math.min(left, 0.992)), width: percent(right - left) }}
    >
      {first > left && right > left && state !== "failed" && (
        // Until the first token, the bar is pale.
        <span
          className="absolute inset-y-0 left-0 bg-panel/60"
          style={{ width: percent((first - left) / (right - left)) }}
        />
      )}
    </span>
  );
}

/** `claude-sonnet-4-5` of `anthropic/claude-sonnet-4-5`: every row of a session has the same provider. */
function shortTitle({ kind, title, entries }: Step): string {
  if (kind === "model") return title.slice(title.indexOf("/") + 1);
  if (kind !== "approval") return title;
  const [entry] = entries.slice(-1);
  const by = entry?.type === "approval" ? entry.decidedBy : undefined;
  return by === undefined ? `approval of ${title}` : `approval of ${title} · ${by}`;
}
