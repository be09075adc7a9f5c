import type { StreamEvent } from "../shown/events.ts";
import type { UiMessage, UiPart } from "../shown/ui-message.ts";

/** A part of an assistant message, as far as both the streams and a later reading show it. */
export type FoldedPart =
  | { type: "text" | "reasoning"; text: string; thread?: string }
  | { type: "tool-call"; toolCallId: string; toolName: string }
  | { type: "operation"; operationId: string }
  | { type: "object"; typeName: string }
  | { type: "source"; id: string };

interface State {
  parts: FoldedPart[];
  /** By the id of the text. */
  open: Map<string, FoldedPart>;
  block: { id: string; name: string } | undefined;
}

/**
 * What a client has assembled from all streams of an execution. A discarded step goes back to where it began: its
 * `step-start`, or else the start of its block. Blocks of this name show nothing later.
 */
export function fold(events: readonly StreamEvent[], forgotten = "Aside"): FoldedPart[] {
  let state: State = { parts: [], open: new Map(), block: undefined };
  const steps = new Map<number, State>();
  const blocks = new Map<string, State>();
  let latest = copy(state);
  for (const event of events) {
    if (event.type === "step-discard") {
      const { step, blockId } = event;
      state = copy((blockId === undefined ? steps.get(step) : blocks.get(blockId)) ?? latest);
      latest = copy(state);
      continue;
    }
    if (state.block?.name !== forgotten) take(state, event);
    if (event.type === "block-end" || event.type === "start") state.block = undefined;
    if (event.type === "block-start") {
      state.block = { id: event.blockId, name: event.blockName };
      latest = copy(state);
      blocks.set(event.blockId, latest);
    }
    if (event.type === "step-start") {
      latest = copy(state);
      steps.set(event.step, latest);
    }
  }
  return state.parts;
}

/** What a later reading shows, as far as streams show it too. */
export function foldedFrom(messages: readonly UiMessage[]): FoldedPart[] {
  return messages.flatMap(({ role, parts }) => (role === "assistant" ? parts.flatMap(partOf) : []));
}

function partOf(part: UiPart): FoldedPart[] {
  const { thread } = part;
  switch (part.type) {
    case "text":
    case "reasoning":
      if (part.text === "" || part.text.startsWith("said") || part.text === "words") return [];
      return [{ type: part.type, text: part.text, ...(thread !== undefined && { thread }) }];
    case "tool-call":
      return [{ type: part.type, toolCallId: part.toolCallId, toolName: part.toolName }];
    case "operation":
      if (part.operationType === "next-message") return [];
      return [{ type: part.type, operationId: part.operationId }];
    case "object":
      return [{ type: part.type, typeName: part.typeName }];
    case "source":
      return [{ type: part.type, id: part.id }];
    case "file":
    case "todo":
    case "step-start":
      return [];
    default:
      return part satisfies never;
  }
}

const operations = new Set(["set-resource", "serialize-thread", "start-thread"]);

function take({ parts, open }: State, event: StreamEvent): void {
  switch (event.type) {
    case "block-start": {
      const isOperation = operations.has(event.blockType) && event.display !== "hidden";
      if (isOperation) parts.push({ type: "operation", operationId: event.blockId });
      return;
    }
    case "text-start":
    case "reasoning-start": {
      const thread = event.thread === undefined ? {} : { thread: event.thread };
      const type = event.type === "text-start" ? "text" : "reasoning";
      const part: FoldedPart =
        "responseType" in event && event.responseType !== undefined
          ? { type: "object", typeName: event.responseType }
          : { type, text: "", ...thread };
      parts.push(part);
      open.set(event.id, part);
      return;
    }
    case "text-delta":
    case "reasoning-delta": {
      const part = open.get(event.id);
      if (part !== undefined && "text" in part) part.text += event.delta;
      return;
    }
    case "tool-input-start":
      parts.push({ type: "tool-call", toolCallId: event.toolCallId, toolName: event.toolName });
      return;
    case "source":
      parts.push({ type: "source", id: event.id });
      return;
    default:
  }
}

function copy({ parts, open, block }: State): State {
  const twins = new Map(parts.map((part) => [part, { ...part }]));
  return {
    parts: [...twins.values()],
    open: new Map(
      [...open].flatMap(([id, part]) => {
        const twin = twins.get(part);
        return twin === undefined ? [] : [[id, twin]];
      }),
    ),
    block,
  };
}
