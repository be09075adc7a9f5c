import type { ToolCallPart, UiMessage, UiMessagePart, WorkerPart } from "@muster/client";
import type { ReactNode } from "react";
import { Json } from "../../../parts/json.tsx";
import { Status } from "../../../parts/status.tsx";

/** A conversation as its user sees it. */
export function Transcript({ messages }: { messages: readonly UiMessage[] }) {
  return (
    <div role="log" aria-label="Conversation" className="grid gap-4">
      {messages.map(({ id, role, parts, status }) => (
        <article
          key={id}
          aria-label={role === "user" ? "You" : "The agent"}
          className={
            role === "user"
              ? "ml-auto max-w-[85%] rounded-card border border-line bg-raised px-3 py-2"
              : "grid min-w-0 gap-2"
          }
        >
          <Parts parts={parts} />
          {status === "streaming" && (
            <span className="text-small text-muted">
              <Status state="running" />
            </span>
          )}
        </article>
      ))}
    </div>
  );
}

export function Parts({ parts }: { parts: readonly UiMessagePart[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever appended
  return parts.map((part, index) => <Part key={`${index} ${part.type}`} part={part} />);
}

function Part({ part }: { part: UiMessagePart }): ReactNode {
  switch (part.type) {
    case "text":
      return <p className="break-words whitespace-pre-wrap">{part.text}</p>;
    case "reasoning":
      return (
        <Fold title="Reasoning">
          <p className="text-table break-words whitespace-pre-wrap text-muted">{part.text}</p>
        </Fold>
      );
    case "tool-call":
      return <ToolCall part={part} />;
    case "worker":
      return <Worker part={part} />;
    case "object":
      return <Json value={part.object ?? part.partial} label={part.typeName} />;
    case "file":
      return (
        <p className="text-table">
          <a href={part.url} rel="noreferrer" target="_blank" className="underline">
            {part.filename ?? part.id}
          </a>{" "}
          <span className="text-muted">{part.mediaType}</span>
        </p>
      );
    case "source":
      return (
        <p className="text-table break-words text-muted">
          Source: {part.title} {part.url}
        </p>
      );
    case "todo":
      return (
        <ul className="list-disc pl-5 text-table">
          {part.todos.map(({ id, content, status }) => (
            <li key={id}>
              {content} <span className="text-muted">{status}</span>
            </li>
          ))}
        </ul>
      );
    case "operation":
      return (
        <p className="text-table text-muted">
          {part.name} <Status state={part.status} />
        </p>
      );
    default:
      return null;
  }
}

function ToolCall({ part: { displayName, status, args, result, error } }: { part: ToolCallPart }) {
  return (
    <Fold title={displayName} state={status} isOpen={status === "error"}>
      {Object.keys(args).length > 0 && <Json value={args} label="the arguments" />}
      {error !== undefined && <p className="text-table break-words text-bad">{error}</p>}
      {result !== undefined && <Json value={result} label="the result" />}
    </Fold>
  );
}

function Worker({
  part: { workerSlug, description, status, input, parts, output, error },
}: {
  part: WorkerPart;
}) {
  return (
    <Fold title={description ?? workerSlug} state={status} isOpen>
      {input !== undefined && <Json value={input} label="the input" />}
      <Parts parts={parts} />
      {error !== undefined && <p className="text-table break-words text-bad">{error}</p>}
      {output !== undefined && <Json value={output} label="the output" />}
    </Fold>
  );
}

interface FoldProps {
  title: string;
  state?: string;
  isOpen?: boolean;
  children: ReactNode;
}

function Fold({ title, state, isOpen = false, children }: FoldProps) {
  return (
    <details
      open={isOpen}
      className="min-w-0 rounded-card border border-line bg-panel px-3 py-1.5 text-table"
    >
      <summary className="flex items-center gap-3">
        <span className="min-w-0 flex-1 break-words">{title}</span>
        {state !== undefined && (
          <span className="text-muted">
            <Status state={state} />
          </span>
        )}
      </summary>
      <div className="mt-2 grid min-w-0 gap-2 pb-1.5">{children}</div>
    </details>
  );
}
