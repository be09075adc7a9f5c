import type { RequestedToolCall, UiMessage } from "@muster/client";
import { Status } from "../../../parts/status.tsx";
import { keyOfPart, MessagePart } from "../../sessions/message-part.tsx";

interface Props {
  messages: readonly UiMessage[];
  agentName: string;
  /** Calls that the author answers. */
  toolCalls: readonly RequestedToolCall[];
}

/** A conversation as its user sees it. Its execution log is on the page of the session. */
export function Transcript({ messages, agentName, toolCalls }: Props) {
  const waiting = new Set(toolCalls.map(({ toolCallId }) => toolCallId));
  return (
    <ol aria-label="Messages" className="grid gap-5 empty:hidden">
      {messages.map(({ id, role, parts, status }) => (
        <li
          key={id}
          className={`grid min-w-0 gap-2 ${role === "user" ? "rounded-card border border-line bg-raised px-4 py-3" : ""}`}
        >
          <span className="text-small font-medium">{role === "user" ? "You" : agentName}</span>
          {parts.map((part, place) => (
            <MessagePart
              key={keyOfPart(part, place)}
              part={part}
              isSelected={false}
              onSelect={() => {}}
              waiting={waiting}
            />
          ))}
          {status === "streaming" && (
            <span className="text-small text-muted">
              <Status state={waiting.size > 0 ? "waiting" : "running"} />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
