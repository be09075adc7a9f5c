import type { ActiveSession, SessionLog } from "@muster/client";
import type { useSession } from "@muster/react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { flatten, type Step } from "./step.ts";
import { StepDetails } from "./step-details.tsx";
import { timeAxis } from "./time-axis.ts";
import { TryAgain } from "./try-again.tsx";
import type { LinkedScroll } from "./use-linked-scroll.ts";
import { Waterfall } from "./waterfall.tsx";

interface Props {
  session: ActiveSession;
  log: UseQueryResult<SessionLog>;
  turns: readonly Step[];
  chat: ReturnType<typeof useSession>;
  selected: Step | undefined;
  onSelect: (stepId: string | undefined) => void;
  isShown: boolean;
  scroll: LinkedScroll;
}

/** More turns than this on one axis are too small to read: the others are closed then. */
const mostOpenTurns = 5;

/** The waterfall of the log, above the details of the chosen row. */
export function StepsPane({ session, log, turns, chat, selected, onSelect, isShown, scroll }: Props) {
  const latest = useRef(onSelect);
  latest.current = onSelect;
  const nowMs = useNow(session.turn !== undefined);
  const open = useMemo(() => {
    if (turns.length <= mostOpenTurns) return turns;
    return turns.filter(({ executionId }) => executionId === (selected ?? turns.at(-1))?.executionId);
  }, [turns, selected]);
  const rows = useMemo(
    () => turns.flatMap((turn) => (open.includes(turn) ? flatten([turn]) : [turn])),
    [turns, open],
  );
  const axis = useMemo(() => (open.length === 0 ? undefined : timeAxis(open, nowMs)), [open, nowMs]);
  const selectStep = useCallback(({ id }: Step) => latest.current(id), []);
  return (
    <section
      aria-label="Execution log"
      className={`flex min-h-0 min-w-0 flex-col ${isShown ? "" : "max-md:hidden"}`}
    >
      {log.isPending && (
        <div className="p-4">
          <Skeleton lines={8} />
        </div>
      )}
      {log.error !== null && (
        <div className="p-4">
          <Failure error={log.error} onRetry={() => void log.refetch()} />
        </div>
      )}
      {log.data?.truncated === true && (
        <p className="border-b border-line px-4 py-1.5 text-table text-muted">
          The newest 3,000 entries of {log.data.total.toLocaleString("en")}. The API has them all.
        </p>
      )}
      {axis !== undefined && (
        <Waterfall
          rows={rows}
          axis={axis}
          nowMs={nowMs}
          selected={selected}
          onSelect={selectStep}
          scroll={scroll}
        />
      )}
      {log.isSuccess && axis === undefined && (
        <p className="p-6 text-center text-table text-muted">The steps of the first turn appear here.</p>
      )}
      {selected !== undefined && (
        <StepDetails
          step={selected}
          sessionId={session.id}
          known={log.data?.entries ?? []}
          onClose={() => onSelect(undefined)}
          again={
            <TryAgain
              turn={turns.find(({ executionId }) => executionId === selected.executionId)}
              chat={chat}
            />
          }
        />
      )}
    </section>
  );
}

/** The bars of a running turn grow. */
function useNow(isRunning: boolean): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isRunning]);
  return nowMs;
}
