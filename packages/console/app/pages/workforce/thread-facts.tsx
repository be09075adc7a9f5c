import type { Thread } from "@muster/client";
import { Id } from "../../parts/copy.tsx";
import { count, duration, money } from "../../parts/format.ts";
import { When } from "../../parts/when.tsx";

/** The time and the cost of the thread, in one line. */
export function ThreadFacts({ thread }: { thread: Thread }) {
  const { threadId, startedAt, completedAt, usage, runConfig, origin } = thread;
  const tookMs =
    startedAt !== null && completedAt !== null ? Date.parse(completedAt) - Date.parse(startedAt) : undefined;
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-small text-muted">
      <Id id={threadId} />
      {startedAt !== null && (
        <span>
          begun <When at={startedAt} />
        </span>
      )}
      {tookMs !== undefined && <span>took {duration(Math.max(tookMs, 0))}</span>}
      {usage !== null && (
        <span>
          {count(usage.totalTokens)} tokens · {money(usage.totalFeeUsd)}
        </span>
      )}
      {runConfig?.model !== undefined && <span className="font-mono">{runConfig.model}</span>}
      {origin !== null && <span>from a {origin.kind}</span>}
    </p>
  );
}
