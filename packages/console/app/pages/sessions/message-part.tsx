import type { FilePart, SourcePart, UiMessagePart } from "@muster/client";
import { FileText, ListChecks } from "lucide-react";
import type { ReactNode } from "react";
import { bytes } from "../../parts/format.ts";
import { Json } from "../../parts/json.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { RemoteLink } from "../../parts/remote-link.tsx";
import { CallRow } from "./call-row.tsx";

interface Props {
  part: UiMessagePart;
  /** The row of the waterfall that made it. */
  stepId?: string | undefined;
  isSelected: boolean;
  onSelect: (stepId: string) => void;
  waiting: ReadonlySet<string>;
}

/** A part of a message. The whole of it chooses its step, except for its own controls. */
export function MessagePart({ part, stepId, isSelected, onSelect, waiting }: Props) {
  const content = contentOf(part, { onSelect, waiting });
  if (content === null) return null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the rows of the waterfall have the keys
    // biome-ignore lint/a11y/noStaticElementInteractions: the same
    <div
      data-step={stepId}
      onClick={({ target }) => {
        const isControl =
          target instanceof Element && target.closest("a, button, summary, pre, input") !== null;
        if (stepId !== undefined && !isControl && getSelection()?.isCollapsed !== false) onSelect(stepId);
      }}
      className={`min-w-0 ${stepId === undefined ? "" : "-mx-3 rounded-card px-3 py-1"} ${isSelected ? "bg-raised shadow-[inset_2px_0_var(--accent)]" : ""}`}
    >
      {content}
    </div>
  );
}

function contentOf(part: UiMessagePart, around: Pick<Props, "onSelect" | "waiting">): ReactNode {
  switch (part.type) {
    case "text":
      return part.text === "" ? null : <Markdown text={part.text} />;
    case "reasoning":
      return part.text === "" ? null : (
        <details className="text-table text-muted">
          <summary>Reasoning</summary>
          <div className="border-l-2 border-line pl-3">
            <Markdown text={part.text} />
          </div>
        </details>
      );
    case "tool-call":
      return (
        <CallRow
          name={part.displayName || part.toolName}
          state={around.waiting.has(part.toolCallId) ? "waiting" : part.status}
          input={part.args}
          error={part.error}
        >
          {part.result !== undefined && <Labelled name="Result" value={part.result} />}
        </CallRow>
      );
    case "worker":
      return (
        <CallRow
          name={part.description ?? part.workerSlug}
          state={part.approval?.status === "pending" ? "waiting" : part.status}
          input={part.input}
          error={part.error}
          isWorker
        >
          {part.parts.map((each, place) => (
            <MessagePart key={keyOfPart(each, place)} part={each} isSelected={false} {...around} />
          ))}
          {part.output !== undefined && <Labelled name="Output" value={part.output} />}
        </CallRow>
      );
    case "operation":
      return (
        <p className="text-table text-muted">
          {part.name}
          {part.status === "running" ? " …" : ""}
        </p>
      );
    case "file":
      return <FileRow file={part} />;
    case "source":
      return <Source source={part} />;
    case "object":
      return <Labelled name={part.typeName} value={part.object ?? part.partial ?? null} />;
    case "todo":
      return (
        <ul className="grid grid-cols-1 gap-0.5 text-table" aria-label="To do">
          {part.todos.map(({ id, content, status }) => (
            <li key={id} className="flex items-center gap-2">
              <ListChecks size={14} aria-hidden="true" className="shrink-0 text-muted" />
              <span className={status === "completed" ? "text-muted line-through" : ""}>{content}</span>
              <span className="text-small text-muted">{status.replace("_", " ")}</span>
            </li>
          ))}
        </ul>
      );
    case "step-start":
      return null;
  }
}

/** Texts have no id, but are only added at the end. */
export function keyOfPart(part: UiMessagePart, place: number): string {
  if (part.type === "tool-call") return part.toolCallId;
  return part.type === "worker" ? part.workerId : `${part.type} ${place}`;
}

function Labelled({ name, value }: { name: string; value: unknown }) {
  return (
    <div className="grid grid-cols-1 gap-1">
      <span className="text-small text-muted">{name}</span>
      {typeof value === "string" ? <Markdown text={value} /> : <Json value={value} label={name} />}
    </div>
  );
}

function FileRow({ file: { url, filename, mediaType, size } }: { file: FilePart }) {
  const label = filename ?? mediaType;
  const address = URL.parse(url, location.origin);
  return (
    <p className="flex items-center gap-2 text-table">
      <FileText size={14} aria-hidden="true" className="shrink-0 text-muted" />
      <span className="truncate">
        {address?.origin === location.origin ? (
          <a href={address.href} download={filename ?? ""} className="text-accent underline">
            {label}
          </a>
        ) : (
          <RemoteLink href={url}>{label}</RemoteLink>
        )}
      </span>
      {size !== undefined && <span className="text-small text-muted">{bytes(size)}</span>}
    </p>
  );
}

function Source({ source: { url, title, id } }: { source: SourcePart }) {
  const name = title ?? url ?? id;
  return (
    <p className="text-table">
      Source: {url === undefined ? name : <RemoteLink href={url}>{name}</RemoteLink>}
    </p>
  );
}
