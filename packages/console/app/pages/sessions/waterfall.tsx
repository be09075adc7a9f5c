import { type KeyboardEvent, useId } from "react";
import { Axis } from "./axis.tsx";
import type { Step } from "./step.ts";
import { StepRow, tracks } from "./step-row.tsx";
import type { TimeAxis } from "./time-axis.ts";
import type { LinkedScroll } from "./use-linked-scroll.ts";

interface Props {
  rows: readonly Step[];
  axis: TimeAxis;
  nowMs: number;
  selected: Step | undefined;
  onSelect: (step: Step) => void;
  scroll: LinkedScroll;
}

/** The execution log as rows on one time axis. */
export function Waterfall({ rows, axis, nowMs, selected, onSelect, scroll }: Props) {
  const listId = useId();
  const move = (event: KeyboardEvent) => {
    const step = moves[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const at = selected === undefined ? -1 : rows.indexOf(selected);
    const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
    if (next !== undefined) onSelect(next);
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col text-table">
      <div className={`${tracks} border-b border-line px-3 text-small text-muted`}>
        <span className="self-end pb-1">Step</span>
        <Axis axis={axis} />
        <span className="self-end pb-1 text-right">Time</span>
        <span className="self-end pb-1 text-right max-lg:hidden">First</span>
        <span className="self-end pb-1 text-right max-lg:hidden">Tokens</span>
        <span className="self-end pb-1 text-right max-md:hidden">Cost</span>
      </div>
      <div
        {...scroll}
        role="listbox"
        aria-label="Steps"
        aria-activedescendant={selected && rowId(listId, selected)}
        tabIndex={0}
        onKeyDown={move}
        className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
      >
        {rows.map((step) => (
          <StepRow
            key={step.id}
            id={rowId(listId, step)}
            step={step}
            axis={axis}
            nowMs={nowMs}
            isSelected={step === selected}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  );
}

const moves: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

function rowId(listId: string, { id }: Step): string {
  return `${listId}-${id}`;
}
