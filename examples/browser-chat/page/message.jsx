import { memo } from "react";
import { Values } from "./values.jsx";

/** A message is rendered again only while it changes. */
export const Message = memo(function Message({ message, waiting = [] }) {
  const { role, parts, status } = message;
  const isEmpty = parts.every((part) => part.type === "step-start" || part.text === "");
  return (
    <article className={`message ${role}`} data-status={status}>
      <h2 className="hidden">{role === "user" ? "You" : "Assistant"}</h2>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts never move.
        <Part key={index} part={part} isWaiting={waiting.includes(part.toolCallId)} />
      ))}
      {isEmpty && status === "streaming" && <p className="typing">…</p>}
    </article>
  );
});

function Part({ part, isWaiting = false }) {
  switch (part.type) {
    case "text":
      return part.text === "" ? null : <p className="text">{part.text}</p>;
    case "reasoning":
      return (
        <details className="reasoning">
          <summary>{part.status === "streaming" ? "Thinking …" : "Thoughts"}</summary>
          <p className="text">{part.text}</p>
        </details>
      );
    case "tool-call":
      return <ToolCall call={part} isWaiting={isWaiting} />;
    case "file":
      return (
        <a className="file" href={part.url} download={part.filename}>
          {part.filename ?? "File"}
        </a>
      );
    case "worker":
      return (
        <details className="tool" data-state={part.status}>
          <summary>{part.description ?? part.workerSlug}</summary>
          {part.parts.map((inner, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts never move.
            <Part key={index} part={inner} />
          ))}
        </details>
      );
    case "source":
      return part.url === undefined ? null : <a href={part.url}>{part.title ?? part.url}</a>;
    default:
      return null;
  }
}

const outcomes = { pending: "waits", running: "runs", done: "done", error: "failed", cancelled: "cancelled" };

function ToolCall({ call, isWaiting }) {
  const { displayName, status, args, result, error, approval } = call;
  const outcome = approval?.status === "denied" ? "denied" : outcomes[isWaiting ? "pending" : status];
  const hasDetails = Object.keys(args).length > 0 || result !== undefined || error !== undefined;
  const title = (
    <>
      {displayName} <span className="outcome">{outcome}</span>
    </>
  );
  if (!hasDetails)
    return (
      <p className="tool" data-state={status}>
        {title}
      </p>
    );
  return (
    <details className="tool" data-state={status}>
      <summary>{title}</summary>
      <Values values={args} />
      {result !== undefined && <Values values={{ result }} />}
      {error !== undefined && <p className="failure">{error}</p>}
    </details>
  );
}
