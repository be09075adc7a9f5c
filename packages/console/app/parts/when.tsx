import { useSyncExternalStore } from "react";
import { exact, relative } from "./format.ts";

let nowMs = Date.now();

/** One timer moves all times of a page. */
function everyHalfMinute(changed: () => void): () => void {
  const timer = setInterval(() => {
    nowMs = Date.now();
    changed();
  }, 30_000);
  return () => clearInterval(timer);
}

/** How long ago, with the exact time to hover over and to copy. */
export function When({ at }: { at: string | null | undefined }) {
  const now = useSyncExternalStore(everyHalfMinute, () => nowMs);
  if (!at) return <span className="text-muted">–</span>;
  return (
    <time dateTime={at} title={exact(at)} className="whitespace-nowrap">
      {relative(at, Math.max(now, nowMs))}
    </time>
  );
}
