import type { LogEntry } from "@muster/client";
import { useState } from "react";
import { route, useApi } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { CopyRequest } from "../../parts/copy-request.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Json } from "../../parts/json.tsx";

interface Props {
  sessionId: string;
  entries: readonly LogEntry[];
}

/** Entries of the log as the API returns them. */
export function LogEntries({ sessionId, entries }: Props) {
  return (
    <ol className="grid grid-cols-1 gap-4">
      {entries.map((entry) => (
        <Entry key={entry.id} sessionId={sessionId} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ sessionId, entry }: { sessionId: string; entry: LogEntry }) {
  const [isWhole, setWhole] = useState(false);
  const path = route`/api/agent-sessions/${sessionId}/logs/${entry.id}`;
  const { data, error } = useApi<LogEntry>(isWhole ? path : null);
  return (
    <li className="grid grid-cols-1 gap-1.5">
      <div className="flex items-center gap-2 text-small">
        <span className="font-medium">{entry.type}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-muted">{entry.id}</span>
        {entry.shortened === true && data === undefined && (
          <Button look="quiet" onClick={() => setWhole(true)}>
            Show the whole entry
          </Button>
        )}
        <CopyRequest path={path} subject={entry.type} />
      </div>
      <Failure error={error} />
      <Json value={data ?? entry} label={`entry ${entry.type}`} />
    </li>
  );
}
