import type { TimeAxis } from "./time-axis.ts";

/** The seconds that the agent worked, and how long the gaps were. */
export function Axis({ axis: { ticks, gaps, at } }: { axis: TimeAxis }) {
  return (
    <div className="relative h-9" aria-hidden="true">
      {ticks.map((tick) => (
        <span
          key={tick.label}
          className="absolute top-1 border-l border-line pl-1 leading-4 whitespace-nowrap"
          style={{ left: percent(tick.at) }}
        >
          {tick.label}
        </span>
      ))}
      {gaps.map(({ fromMs, toMs, label }) => (
        <span
          key={fromMs}
          className="absolute bottom-0 -translate-x-1/2 whitespace-nowrap text-warn"
          style={{ left: percent((at(fromMs) + at(toMs)) / 2) }}
        >
          {label}
        </span>
      ))}
    </div>
  );
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
