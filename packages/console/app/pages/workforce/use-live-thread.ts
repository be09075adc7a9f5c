import type { Thread } from "@muster/client";
import { useThread } from "@muster/react";
import { useEffect } from "react";
import { muster, useApi } from "../../api.ts";
import { threadPath } from "./paths.ts";

const working = ["loading", "pending", "queued", "running"];
const filming = ["requested", "recording", "processing"];

/** A thread, followed while it works. Afterwards its video can become ready, and other tabs can reopen it. */
export function useLiveThread(agentId: string, threadId: string) {
  const live = useThread(muster, agentId, threadId);
  const { status, thread, reload } = live;
  const isWorking = working.includes(status);
  const { data: later } = useApi<Thread>(isWorking ? null : threadPath(agentId, threadId));
  useEffect(() => {
    if (later !== undefined && working.includes(later.status)) void reload();
  }, [later, reload]);
  const isFilming = filming.includes(live.recording?.status ?? "");
  return {
    ...live,
    isWorking,
    // The events of a thread that has ended are read for their output alone: its messages are complete.
    messages: isWorking ? live.messages : (thread?.messages ?? live.messages),
    recording: isFilming && later !== undefined ? later.recording : live.recording,
  };
}
