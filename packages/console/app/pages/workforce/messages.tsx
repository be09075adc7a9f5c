import type { UiMessage } from "@muster/client";
import type { ReactNode } from "react";
import { useEnd } from "../../parts/use-end.ts";
import { When } from "../../parts/when.tsx";
import { keyOfPart, MessagePart } from "../sessions/message-part.tsx";

interface Props {
  messages: readonly UiMessage[];
  agentName: string;
  /** The calls that wait for a decision. */
  waiting: ReadonlySet<string>;
  /** Shown after the last message. */
  children: ReactNode;
}

/** The conversation. It follows new messages, unless the reader has scrolled up. */
export function Messages({ messages, agentName, waiting, children }: Props) {
  const { end } = useEnd([messages]);
  return (
    <div
      role="log"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
      tabIndex={0}
      className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] content-start gap-4 overflow-auto"
    >
      {messages.map((message) => (
        <Message key={message.id} {...{ message, agentName, waiting }} />
      ))}
      {children}
      <div ref={end} />
    </div>
  );
}

interface MessageProps extends Pick<Props, "agentName" | "waiting"> {
  message: UiMessage;
}

function Message({ message: { role, parts, createdAt }, agentName, waiting }: MessageProps) {
  const isUser = role === "user";
  return (
    <article className={isUser ? "rounded-card border border-line bg-panel px-4 py-3" : "px-4"}>
      <header className="mb-1 flex items-baseline gap-2 text-small text-muted">
        <span className="font-medium text-text">{isUser ? "Task" : agentName}</span>
        <When at={createdAt} />
      </header>
      <div className="grid gap-2">
        {parts.map((part, place) => (
          <MessagePart
            key={keyOfPart(part, place)}
            part={part}
            isSelected={false}
            onSelect={() => {}}
            waiting={waiting}
          />
        ))}
      </div>
    </article>
  );
}
