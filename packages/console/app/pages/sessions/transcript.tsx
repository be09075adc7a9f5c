import type { UiMessage } from "@muster/client";
import { memo } from "react";
import { When } from "../../parts/when.tsx";
import { keyOfPart, MessagePart } from "./message-part.tsx";
import type { SessionLinks } from "./session-links.ts";

interface Props {
  messages: readonly UiMessage[];
  agentName: string;
  /** The author of the user's messages. Default: the sender's name. */
  userName?: string;
  /** Absent: there is no waterfall beside it. */
  links?: SessionLinks;
  selectedId?: string | undefined;
  onSelect?: (stepId: string) => void;
  /** The calls that wait for a user or a program. */
  waiting: ReadonlySet<string>;
}

const noLinks: SessionLinks = { ofMessage: () => undefined, ofPart: () => undefined };

/** The conversation as its user saw it. A place that is chosen shows its row in the waterfall. */
export function Transcript({ messages, links = noLinks, selectedId, ...rest }: Props) {
  return (
    <ol className="grid grid-cols-1 gap-5" aria-label="Messages">
      {messages.map((message) => (
        <Message
          key={message.id}
          {...{ message, links, ...rest }}
          // A message that does not show the chosen step need not be rendered again.
          selectedId={showsStep(message, links, selectedId) ? selectedId : undefined}
        />
      ))}
    </ol>
  );
}

function showsStep(message: UiMessage, links: SessionLinks, stepId: string | undefined): boolean {
  if (stepId === undefined) return false;
  return (
    links.ofMessage(message) === stepId ||
    message.parts.some((part) => links.ofPart(message, part) === stepId)
  );
}

interface MessageProps extends Omit<Props, "messages" | "links"> {
  message: UiMessage;
  links: SessionLinks;
}

const Message = memo(function Message({
  message,
  agentName,
  userName,
  links,
  selectedId,
  onSelect = () => {},
  waiting,
}: MessageProps) {
  const { role, parts, sender, createdAt, summary } = message;
  const isUser = role === "user";
  const stepId = links.ofMessage(message);
  const author = isUser ? (userName ?? nameOf(sender)) : agentName;
  return (
    <li
      data-step={isUser ? stepId : undefined}
      className={`grid min-w-0 grid-cols-1 gap-2 ${isUser ? `rounded-card border bg-raised px-4 py-3 ${selectedId === undefined ? "border-line" : "border-accent"}` : ""}`}
      style={{ contentVisibility: "auto", containIntrinsicSize: "auto 90px" }}
    >
      <div className="flex items-baseline gap-2 text-small text-muted">
        {stepId === undefined ? (
          <span className="font-medium text-text">{author}</span>
        ) : (
          <button
            type="button"
            className="font-medium text-text hover:underline"
            onClick={() => onSelect(stepId)}
            aria-label={`Turn of this message from ${author}`}
          >
            {author}
          </button>
        )}
        <When at={createdAt} />
        {summary === true && <span>summary of older messages</span>}
      </div>
      {parts.map((part, place) => {
        const partStep = links.ofPart(message, part);
        return (
          <MessagePart
            key={keyOfPart(part, place)}
            part={part}
            {...(!isUser && { stepId: partStep })}
            isSelected={!isUser && partStep === selectedId && selectedId !== undefined}
            onSelect={onSelect}
            waiting={waiting}
          />
        );
      })}
    </li>
  );
});

function nameOf(sender: UiMessage["sender"]): string {
  return typeof sender?.name === "string" && sender.name !== "" ? sender.name : "User";
}
