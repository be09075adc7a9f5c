import type { LogEntry, SessionLog, SessionLogReply } from "@muster/client";
import { useQuery } from "@tanstack/react-query";
import { muster, queryClient, route } from "../../api.ts";

/**
 * What the executions of a session did. Later reads ask only for what is new. The requests to models are the largest entries:
 * `readRequest` reads the chosen one.
 */
export function useSessionLog(sessionId: string | null) {
  const path = route`/api/agent-sessions/${sessionId ?? ""}/logs`;
  const queryKey = [path, "without requests"];
  return useQuery({
    queryKey,
    enabled: sessionId !== null,
    queryFn: async ({ signal }): Promise<SessionLog> => {
      const known = queryClient.getQueryData<SessionLog>(queryKey);
      const last = known?.entries.at(-1)?.sequence;
      const query = { excludeModelRequests: "true", ...(last !== undefined && { after: last }) };
      const reply = await muster.request<SessionLogReply>("GET", path, { query, signal });
      if (!("entries" in reply))
        return { sessionId: reply.sessionId, entries: [], total: 0, truncated: false };
      if (known === undefined) return reply;
      return { ...known, total: known.total + reply.total, entries: [...known.entries, ...reply.entries] };
    },
  });
}

/** How many entries after an earlier one are searched for a request. */
const searched = 200;

/** The request of a model call, which the log has before the call's other entries. */
export async function readRequest(
  sessionId: string,
  call: Extract<LogEntry, { type: "step-stats" }>,
  known: readonly LogEntry[],
  signal: AbortSignal,
): Promise<LogEntry | null> {
  const beganMs = Date.parse(call.timestamp) - call.latencyMs;
  const earlier = known.findLast(({ timestamp }) => Date.parse(timestamp) < beganMs - 1);
  const path = route`/api/agent-sessions/${sessionId}/logs`;
  const query = { after: earlier?.sequence ?? 0, limit: searched };
  const reply = await muster.request<SessionLogReply>("GET", path, { query, signal });
  const { executionId, step, isBackup, workerId } = call;
  const isWanted = (entry: LogEntry) =>
    entry.type === "model-request" &&
    entry.executionId === executionId &&
    entry.step === step &&
    entry.isBackup === isBackup &&
    entry.workerId === workerId;
  const found = "entries" in reply ? reply.entries.find(isWanted) : undefined;
  if (found?.shortened !== true) return found ?? null;
  return muster.request<LogEntry>("GET", `${path}/${encodeURIComponent(found.id)}`, { signal });
}
