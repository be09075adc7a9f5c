import { MusterError } from "@muster/client";
import { useEffect, useState } from "react";
import { muster, noticeEnd, queryClient, refreshAtMostEvery } from "../api.ts";
import { Button } from "../parts/button.tsx";

/** The changes of one address make others stale: turns ask for decisions. */
const related: Readonly<Record<string, readonly string[]>> = {
  "/api/agent-sessions": ["/api/approvals"],
  "/api/admin/workforce": ["/api/admin/computers", "/api/approvals"],
};

const refreshSoon = refreshAtMostEvery(1_500);
/** Adds up the calls of a month, so not for each turn that costs something. */
const refreshUsage = refreshAtMostEvery(30_000);

const longestWaitMs = 30_000;

/**
 * The one connection of a tab in view, by which pages learn of changes. A lost one shows, and heals by itself. A hidden
 * tab has none, nor has a page that the browser keeps for its "Back": a browser opens at most six to one server, and the
 * seventh tab would wait for one of them.
 */
export function Connection() {
  const [retryAtMs, setRetryAtMs] = useState<number>();
  useEffect(() => {
    let stop = new AbortController();
    let isFirst = true;
    const onConnected = () => {
      setRetryAtMs(undefined);
      // Whatever happened in between was missed.
      if (!isFirst) void queryClient.invalidateQueries();
      isFirst = false;
    };
    const followInView = () => {
      stop.abort();
      stop = new AbortController();
      if (!document.hidden) void follow(stop.signal, onConnected, setRetryAtMs);
    };
    followInView();
    document.addEventListener("visibilitychange", followInView);
    return () => {
      document.removeEventListener("visibilitychange", followInView);
      stop.abort();
    };
  }, []);
  if (retryAtMs === undefined) return null;
  return (
    <div
      role="status"
      className="flex items-center gap-3 border-b border-line bg-raised px-6 py-1 text-table text-warn"
    >
      <span className="flex-1">
        The connection to the server is lost. Trying again <Countdown to={retryAtMs} />.
      </span>
      <Button look="quiet" onClick={() => dispatchEvent(new Event("online"))}>
        Try now
      </Button>
    </div>
  );
}

function Countdown({ to }: { to: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil((to - now) / 1_000);
  return seconds > 0 ? `in ${seconds} s` : "now";
}

/** A browser that is online again need not wait. */
function waitOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
  });
}

function isRefused(error: unknown): boolean {
  return error instanceof MusterError && error.status === 403;
}

async function follow(
  signal: AbortSignal,
  onConnected: () => void,
  onLost: (retryAtMs: number) => void,
): Promise<void> {
  let waitMs = 1_000;
  while (!signal.aborted) {
    try {
      for await (const change of muster.changes({ signal })) {
        if (change.type === "changed") {
          refreshSoon(change.address, ...(related[change.address] ?? []));
          if (change.address in related) refreshUsage("/api/usage");
          continue;
        }
        waitMs = 1_000;
        onConnected();
      }
    } catch (error) {
      // The frame opens another connection after the next login. A key of one agent has none.
      if (signal.aborted || noticeEnd(error) || isRefused(error)) return;
      onLost(Date.now() + waitMs);
    }
    await waitOrOnline(waitMs);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }
}
