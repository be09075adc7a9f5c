import type { StoredMessage, StoredPart, ToolCallPart } from "@muster/engine";
import type { JsonValue } from "@muster/language";
import { excerptOf, hideSecrets, maxValueLength, shorten } from "../log/shorten.ts";

/** In characters: a longer entry of a list stays shortened. */
export const maxListedLength = 64 * 1024;

export interface CompletionRequest {
  /** JSON of entries of the execution that lack something. */
  lines: readonly string[];
  executionId: string;
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
export function completeEntries({ lines, executionId, text, maxLength }: CompletionRequest): string[] {
  const stored: StoredMessage[] = JSON.parse(text);
  // A turn that was made again after a rollback can have calls with the ids of the earlier one.
  const messages = withWorkers(stored.filter((message) => message.executionId === executionId));
  const parts = messages.flatMap((message) => message.parts);
  const texts = textsByExcerpt(messages, parts);
  return lines.map((line) => {
    const { shortened: _, ...entry }: Shortened = JSON.parse(line);
    const values = wholeValues(entry, { messages, parts, texts });
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

interface Stored {
  messages: readonly StoredMessage[];
  parts: readonly StoredPart[];
  texts: ReadonlyMap<string, string>;
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
  { messages, parts, texts }: Stored,
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
    case "reasoning":
      return named("text", texts.get(entry.text ?? ""));
    case "compaction":
      return named("summary", texts.get(entry.summary ?? ""));
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

/** The texts of models that entries have only excerpts of. */
function textsByExcerpt(
  messages: readonly StoredMessage[],
  parts: readonly StoredPart[],
): ReadonlyMap<string, string> {
  const all = [
    ...parts.flatMap((part) => ("text" in part ? part.text : [])),
    ...messages.flatMap(({ summary }) => summary?.text ?? []),
  ];
  return new Map(
    all.filter(({ length }) => length > maxValueLength).map((text) => [excerptOf(text), text] as const),
  );
}

function named(name: "text" | "summary", text: string | undefined) {
  return text === undefined ? undefined : { [name]: hideSecrets(text) };
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
