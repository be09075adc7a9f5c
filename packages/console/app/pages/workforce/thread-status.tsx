import type { ThreadSummary } from "@muster/client";
import { Status } from "../../parts/status.tsx";

/** A thread that waits for users or services is `queued`, which says too little. */
export function ThreadStatus({
  thread: { status, waitingFor },
}: {
  thread: Pick<ThreadSummary, "status" | "waitingFor">;
}) {
  if (waitingFor === null) return <Status state={status} />;
  return (
    <Status state={waitingFor.type === "approval" ? "needs approval" : "waits for a tool"} tone="warn" />
  );
}
