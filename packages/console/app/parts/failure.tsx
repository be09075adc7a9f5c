import { MusterError } from "@muster/client";
import { CircleAlert } from "lucide-react";
import { Button } from "./button.tsx";

/** A request that failed, in the API's own words. `onRetry`: repeats it. */
export function Failure({ error, onRetry }: { error: Error | null; onRetry?: () => void }) {
  if (error === null) return null;
  const { code, requestId, issues } = error instanceof MusterError ? error : noDetails;
  return (
    <div role="alert" className="flex gap-3 rounded-card border border-line bg-panel p-4">
      <CircleAlert size={16} aria-hidden="true" className="mt-1 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="break-words">{error.message}</p>
        {issues.length > 0 && (
          <ul className="mt-1 list-disc pl-5 text-muted">
            {issues.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                {path !== "" && <code className="font-mono text-small">{path} </code>}
                {message}
              </li>
            ))}
          </ul>
        )}
        <p className="mt-1 text-small text-muted">
          {code}
          {requestId !== undefined && <span className="font-mono"> · {requestId}</span>}
        </p>
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

const noDetails = { code: "ERROR", requestId: undefined, issues: [] };
