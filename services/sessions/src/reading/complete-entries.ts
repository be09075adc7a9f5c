import type { JsonValue } from "@muster/protocol";
import { hideSecrets } from "../driver/log/hide-secrets.ts";
import { shorten, shortenText } from "../driver/log/shorten.ts";
import type { StoredMessage, StoredPart, ToolCallPart } from "../engine/conversation/conversation.ts";

/** In characters: a longer entry of a list stays shortened. */
export const maxListedLength = 64 * 1024;

export interface CompletionRequest {
  /** JSON of entries that lack something. */
  lines: readonly string[];
  /** JSON of a list of stored messages. */
  text: string;
  maxLength: number;
}

export function lacksSomething(line: string): boolean {
  return line.endsWith('"shortened":true}');
}

/**
 * The entries, those whose values are in the messages with whole values, unless they would be longer than `maxLength`.
 * Credentials are hidden, as in all entries.
 */
export function completeEntries({ lines, text, maxLength }: CompletionRequest): string[] {
  const messages = withWorkers(JSON.parse(text));
  const parts = messages.flatMap((message) => message.parts);
  return lines.map((line) => {
    const { shortened: _, ...entry }: Shortened = JSON.parse(line);
    const values = wholeValues(entry, messages, parts);
    if (values === undefined) return line;
    const whole = JSON.stringify({ ...entry, ...values });
    return whole.length <= maxLength ? whole : line;
  });
}

/** The fields that tell which values an entry has. */
interface Shortened {
  type: string;
  shortened?: true;
  messageId?: string;
  toolCallId?: string;
  workerId?: string;
  text?: string;
  summary?: string;
  toolCalls?: Array<{ toolCallId: string }>;
}

/** Also the messages of workers, as far as they are kept. */
function withWorkers(messages: readonly StoredMessage[]): StoredMessage[] {
  return messages.flatMap((message) => [
    message,
    ...message.parts.flatMap((part) =>
      part.type === "tool-call" && part.worker !== undefined ? withWorkers(part.worker.messages) : [],
    ),
  ]);
}

/** The values that may have been shortened. Undefined: they are not in these messages. */
function wholeValues(
  entry: Shortened,
  messages: readonly StoredMessage[],
  parts: readonly StoredPart[],
): Record<string, JsonValue> | undefined {
  const call = parts.find(
    (part) =>
      part.type === "tool-call" &&
      (entry.type.startsWith("worker-")
        ? part.worker?.workerId === entry.workerId
        : part.toolCallId === entry.toolCallId),
  ) as ToolCallPart | undefined;
  switch (entry.type) {
    case "message": {
      const message = messages.find(({ id }) => id === entry.messageId);
      return message && { text: hideSecrets(textOf(message)) };
    }
    case "llm-response":
    case "reasoning": {
      const found = parts.find((part) => isTextOf(part, entry));
      return found && "text" in found ? { text: hideSecrets(found.text) } : undefined;
    }
    case "compaction": {
      const found = messages.find(({ summary }) => summary && shortenText(summary.text) === entry.summary);
      return found?.summary && { summary: hideSecrets(found.summary.text) };
    }
    case "llm-tool-request":
      return requested(entry, parts);
    case "tool-call":
      return call && { args: whole(call.args) };
    case "worker-execution":
      return call && { input: whole(call.args) };
    case "tool-result":
      return call && outcomeOf(call, "result");
    case "worker-output":
      return call && outcomeOf(call, "output");
    default:
      return undefined;
  }
}

function textOf({ parts }: StoredMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** An entry does not name the part that it was made of. Parts of more than 16,384 characters with the same beginning and length are rare. */
function isTextOf(part: StoredPart, { type, text }: Shortened): boolean {
  const isOfType =
    type === "reasoning" ? part.type === "reasoning" : part.type === "text" || part.type === "object";
  return isOfType && "text" in part && shortenText(part.text) === text;
}

function requested({ toolCalls = [] }: Shortened, parts: readonly StoredPart[]) {
  const args = new Map(
    parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part.args]] : [])),
  );
  if (!toolCalls.every(({ toolCallId }) => args.has(toolCallId))) return undefined;
  return { toolCalls: toolCalls.map((call) => ({ ...call, args: whole(args.get(call.toolCallId)) })) };
}

function outcomeOf({ result, error }: ToolCallPart, name: "result" | "output") {
  if (error !== undefined) return { error: hideSecrets(error) };
  return result === undefined ? undefined : { [name]: whole(result) };
}

function whole(value: JsonValue | undefined): JsonValue {
  return shorten(value, Number.POSITIVE_INFINITY);
}
