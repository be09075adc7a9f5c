import type { Muster } from "@muster/client";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type SessionOptions, SessionStore } from "./session-store.ts";

/**
 * A session: its messages and status, and the functions that change it, which never change themselves. `muster` must be the
 * same object in each render.
 */
export function useSession(muster: Muster, sessionId: string, options: SessionOptions = {}) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: later options do not begin another conversation.
  const store = useMemo(() => new SessionStore(muster, sessionId, options), [muster, sessionId]);
  useEffect(() => {
    store.tools = options.tools ?? {};
  });
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot);
  const { send, stop, retry, reload, decide, answer, upload, removeUpload } = store;
  return { ...state, send, stop, retry, reload, decide, answer, upload, removeUpload };
}
