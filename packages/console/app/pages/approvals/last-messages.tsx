import type { ApprovalDetail, UiMessage, UiMessagePart } from "@muster/client";
import { Section } from "../../parts/page.tsx";
import { useAgentNames } from "../../parts/use-agents.ts";
import { When } from "../../parts/when.tsx";

const shownCount = 3;

/** The end of the conversation that led to the call. */
export function LastMessages({ approval: { messages, agentId } }: { approval: ApprovalDetail }) {
  const agentName = useAgentNames()(agentId);
  const shown = messages.filter(({ parts }) => parts.some((part) => lineOf(part) !== "")).slice(-shownCount);
  if (shown.length === 0) return null;
  return (
    <Section title="Last messages">
      <ol className="grid grid-cols-1 gap-3">
        {shown.map((message) => (
          <li key={message.id} className="rounded-card border border-line bg-panel px-4 py-3">
            <p className="mb-1 text-small text-muted">
              {authorOf(message) ?? agentName} · <When at={message.createdAt} />
            </p>
            {message.parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message have no other identity
              <Part key={index} part={part} />
            ))}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Part({ part }: { part: UiMessagePart }) {
  const line = lineOf(part);
  if (line === "") return null;
  const shape = part.type === "text" ? "" : "font-mono text-small text-muted";
  return <p className={`wrap-anywhere whitespace-pre-wrap ${shape}`}>{line}</p>;
}

function lineOf(part: UiMessagePart): string {
  if (part.type === "text") return part.text;
  if (part.type === "tool-call") return `${part.toolName} ${JSON.stringify(part.args)}`;
  return part.type === "file" ? (part.filename ?? part.mediaType) : "";
}

/** Undefined: the agent. */
function authorOf({ role, sender }: UiMessage): string | undefined {
  if (role === "assistant") return undefined;
  return typeof sender?.name === "string" ? sender.name : "User";
}
