import type { UiMessage, UiMessagePart } from "@muster/client";
import { wordsOfCall } from "@muster/video/calls";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { When } from "../../parts/when.tsx";

interface Props {
  messages: readonly UiMessage[];
  agentName: string;
  status: string;
  /** What follows the last message. */
  children: ReactNode;
}

/** The conversation. It follows new messages, unless the reader has scrolled up. */
export function Messages({ messages, agentName, status, children }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new messages are below the old ones
  useLayoutEffect(() => {
    if (isAtEnd.current) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [messages]);
  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 30;
      }}
      className="grid content-start gap-4 lg:min-h-0 lg:flex-1 lg:overflow-auto"
    >
      {messages.map((message) => (
        <Message key={message.id} message={message} agentName={agentName} />
      ))}
      {status === "queued" && <p className="text-table text-muted">It waits for its turn.</p>}
      {children}
    </div>
  );
}

function Message({
  message: { role, parts, createdAt },
  agentName,
}: {
  message: UiMessage;
  agentName: string;
}) {
  const isUser = role === "user";
  return (
    <article className={isUser ? "rounded-card border border-line bg-panel px-4 py-3" : "px-4"}>
      <header className="mb-1 flex items-baseline gap-2 text-small text-muted">
        <span className="font-medium text-text">{isUser ? "Task" : agentName}</span>
        <When at={createdAt} />
      </header>
      <div className="grid gap-2">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
          <Part key={index} part={part} />
        ))}
      </div>
    </article>
  );
}

function Part({ part }: { part: UiMessagePart }) {
  switch (part.type) {
    case "text":
      return <p className="break-words whitespace-pre-wrap">{part.text}</p>;
    case "reasoning":
      return (
        <details className="text-table text-muted">
          <summary>Thinking</summary>
          <p className="mt-1 break-words whitespace-pre-wrap">{part.text}</p>
        </details>
      );
    case "tool-call":
      return (
        <Step state={part.status} problem={part.error}>
          {wordsOfCall(part.toolName, part.args).sentence}
        </Step>
      );
    case "operation":
      return <Step state={part.status}>{part.name}</Step>;
    case "file":
      return (
        <a href={part.url} className="text-table text-accent hover:underline" rel="noreferrer">
          {part.filename ?? part.id}
        </a>
      );
    case "source":
      return <Step state="done">{part.title ?? part.url ?? part.id}</Step>;
    case "todo":
      return (
        <ul className="rounded-card border border-line px-3 py-2 text-table">
          {part.todos.map(({ id, content, status }) => (
            <li key={id} className={status === "completed" ? "text-muted" : ""}>
              <span aria-hidden="true">
                {status === "completed" ? "✓" : status === "in_progress" ? "▸" : "○"}{" "}
              </span>
              {content}
            </li>
          ))}
        </ul>
      );
    case "worker":
      return (
        <div className="grid gap-2 border-l-2 border-line pl-3">
          <Step state={part.status} problem={part.error}>
            {part.description ?? part.workerSlug}
          </Step>
          {part.parts.map((inner, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
            <Part key={index} part={inner} />
          ))}
        </div>
      );
    case "object":
    case "step-start":
      return null;
  }
}

interface StepProps {
  state: string;
  problem?: string | undefined;
  children: ReactNode;
}

const marks: Readonly<Record<string, string>> = { done: "✓", error: "✕", cancelled: "–", pending: "…" };

function Step({ state, problem, children }: StepProps) {
  const tone = state === "error" ? "text-bad" : state === "done" ? "text-good" : "text-muted";
  return (
    <div className="text-table">
      <p className="flex gap-2">
        <span className={tone}>
          <span aria-hidden="true">{marks[state] ?? "▸"}</span>
          <span className="sr-only">{state}</span>
        </span>
        <span className="min-w-0 break-words text-muted">{children}</span>
      </p>
      {problem !== undefined && <p className="pl-5 break-words text-bad">{problem}</p>}
    </div>
  );
}
