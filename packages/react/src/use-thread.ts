import type { Muster } from "@muster/client";
import { useMemo, useSyncExternalStore } from "react";
import { ThreadStore } from "./thread-store.ts";

/** A thread of a workforce agent. `muster` must be the same object in each render. */
export function useThread(muster: Muster, agentId: string, threadId: string) {
  const store = useMemo(() => new ThreadStore(muster, agentId, threadId), [muster, agentId, threadId]);
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
  const { followUp, cancel, decide, reload } = store;
  return { ...state, followUp, cancel, decide, reload };
}
