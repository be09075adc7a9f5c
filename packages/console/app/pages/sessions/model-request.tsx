import type { LogEntry, StepStatsEntry } from "@muster/client";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Json } from "../../parts/json.tsx";
import { LogEntries } from "./log-entries.tsx";
import { readRequest } from "./use-session-log.ts";

interface Props {
  sessionId: string;
  call: StepStatsEntry;
  known: readonly LogEntry[];
}

/** The prompt, tools and settings that a model received. */
export function ModelRequest({ sessionId, call, known }: Props) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["request of", call.id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readRequest(sessionId, call, known, signal),
  });
  if (isPending) return <Skeleton lines={3} />;
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data?.type !== "model-request")
    return <p className="text-table text-muted">The log has no request of this call.</p>;
  const { prompt, ...rest } = Object(data.request);
  return (
    <div className="grid grid-cols-1 gap-4">
      <h3 className="text-small font-medium text-muted">Prompt</h3>
      <Prompt messages={Array.isArray(prompt) ? prompt : [prompt]} />
      {Object.entries(rest).map(([name, value]) => (
        <div key={name} className="grid grid-cols-1 gap-1.5">
          <h3 className="text-small font-medium text-muted first-letter:uppercase">{name}</h3>
          <Json value={value} label={name} />
        </div>
      ))}
      <LogEntries sessionId={sessionId} entries={[data]} />
    </div>
  );
}

function Prompt({ messages }: { messages: readonly unknown[] }) {
  return (
    <ol className="grid grid-cols-1 gap-2">
      {messages.map((message, place) => {
        const { role, content } = Object(message);
        const key = `${place} ${role}`;
        return (
          <li key={key} className="grid grid-cols-[5rem_minmax(0,1fr)] gap-3 text-table">
            <span className="text-muted">{String(role ?? "note")}</span>
            <span className="break-words whitespace-pre-wrap">{textOf(content ?? message)}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** Texts unchanged, everything else as JSON. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content, null, 2);
  return content
    .map((part: unknown) => {
      const { type, text } = Object(part);
      return type === "text" && typeof text === "string" ? text : JSON.stringify(part);
    })
    .join("\n");
}
