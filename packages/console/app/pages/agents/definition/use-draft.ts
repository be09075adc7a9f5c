import type { Agent, AgentVersionList } from "@muster/client";
import { useEffect, useRef, useState } from "react";
import { route, useApi } from "../../../api.ts";
import { type Definition, isSame } from "./definition-files.ts";

/** Changes that are not saved. */
interface Draft {
  /** The version that was changed. */
  version: number;
  stored: Definition;
  text: Definition;
}

/** By agent. They survive every move in the console, and end with the page. */
const drafts = new Map<string, Draft>();

export function hasDraft(agentId: string): boolean {
  return drafts.has(agentId);
}

/** Begins a draft: another text for the definition of a version. */
export function beginDraft(agentId: string, draft: Draft): void {
  drafts.set(agentId, draft);
}

/** The edited definition of an agent. A newer version of another author replaces no text. */
export function useDraft(agent: Agent) {
  const path = route`/api/agents/${agent.id}`;
  const { data, error } = useApi<AgentVersionList>(`${path}/versions`);
  const latest = data?.versions[0]?.version;
  const stored = useApi<Agent>(latest === undefined ? null : path, { version: latest });
  const [draft, setDraft] = useState(() => drafts.get(agent.id));
  const shown = useRef<Draft>(undefined);
  if (draft !== undefined) shown.current = draft;
  // A saved text is known before it has been read.
  else if (stored.data !== undefined && latest !== undefined && latest >= (shown.current?.version ?? 0))
    shown.current = { version: latest, stored: stored.data, text: stored.data };
  useWarning(draft !== undefined);

  const keep = (next: Draft | undefined) => {
    if (next === undefined) drafts.delete(agent.id);
    else drafts.set(agent.id, next);
    setDraft(next);
  };
  const { current } = shown;
  const isStale = draft !== undefined && latest !== undefined && draft.version < latest;
  return {
    error: error ?? stored.error,
    /** Undefined until it has been read. */
    current,
    isChanged: draft !== undefined,
    /** A version that was saved after the one that is being changed. */
    newer: isStale && stored.data !== undefined ? { version: latest, stored: stored.data } : undefined,
    change: (text: Definition) => {
      if (current !== undefined) keep(isSame(text, current.stored) ? undefined : { ...current, text });
    },
    /** Continues from the newer version with the text of the draft. */
    rebase: () => {
      if (draft !== undefined && isStale && stored.data !== undefined)
        keep({ version: latest, stored: stored.data, text: draft.text });
    },
    /** A text has become the next version. Changes that were made meanwhile stay. */
    saved: (text: Definition) => {
      if (current === undefined) return;
      const next = { version: current.version + 1, stored: text, text: drafts.get(agent.id)?.text ?? text };
      shown.current = next;
      keep(isSame(next.text, text) ? undefined : next);
    },
    discard: () => keep(undefined),
  };
}

/** A page that is left asks first. */
function useWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isChanged]);
}
