import type { JsonValue } from "@muster/language";
import type { Conversation, StoredMessage, StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { fileInWords, isForModels } from "../conversation/files.ts";
import { shownId, todoText } from "../conversation/messages.ts";
import { fenceIn, hasForeignOutcome } from "./fence.ts";
import { boundOutput, counted, type OutputOptions, resultOf } from "./tool-output.ts";

/** Limit in characters for all messages together, about 50,000 tokens: the newest are kept. */
const defaultMaxLength = 200_000;
/** A message may take a quarter of all characters; about four are a token. */
const messageTokensPerCharacter = 1 / 16;
/** Limit for the arguments, and for the result, of one call. */
const maxCallTokens = 250;

/** How outcomes of calls are written. */
type Writing = Pick<OutputOptions, "references" | "fence">;

interface Said {
  role: StoredMessage["role"];
  content: string;
}

/** The messages under headings, oldest first. `maxLength`: in characters. */
export function serializedMarkdown(
  conversation: Pick<Conversation, "messages">,
  thread: string,
  writing: Writing,
  maxLength = defaultMaxLength,
): string {
  return bounded(saidOn(conversation, thread, writing), writing, maxLength)
    .map(({ role, content }) => `## ${headings[role]}\n\n${content}`)
    .join("\n\n");
}

const headings: Readonly<Record<Said["role"], string>> = {
  user: "User",
  assistant: "Assistant",
  system: "System",
};

/** A list of `{role, content}`, oldest first. */
export function serializedJson(conversation: Conversation, thread: string, writing: Writing): JsonValue {
  const said = saidOn(conversation, thread, writing);
  return bounded(said, writing, defaultMaxLength).map(({ role, content }) => ({ role, content }));
}

/** The thread as text, as its model reads it: without calls of tool-call blocks, and without its reasoning. */
function saidOn({ messages: all }: Pick<Conversation, "messages">, thread: string, writing: Writing): Said[] {
  const messages = all.filter(({ summary }) => summary === undefined);
  const said: Said[] = [];
  /** The message of the last words. Its first pieces may have had none. */
  let lastId: string | undefined;
  for (const [index, message] of messages.entries()) {
    if (message.thread !== thread) continue;
    const content = contentOf(message, writing);
    const isContinued = continues(message, messages[index - 1]) && shownId(message) === lastId;
    const last = isContinued ? said.at(-1) : undefined;
    if (last !== undefined) last.content = [last.content, content].filter(isFilled).join("\n\n");
    else if (content !== "") {
      said.push({ role: message.role, content });
      lastId = shownId(message);
    }
  }
  return said;
}

function contentOf({ parts }: StoredMessage, writing: Writing): string {
  return parts
    .map((part) => inWords(part, writing))
    .filter(isFilled)
    .join("\n\n");
}

/** True for the next piece of a message that was too long to be stored as one. */
function continues({ partOf, thread }: StoredMessage, before: StoredMessage | undefined): boolean {
  return partOf !== undefined && before?.thread === thread && shownId(before) === partOf;
}

function inWords(part: StoredPart, writing: Writing): string {
  switch (part.type) {
    case "text":
    case "object":
      return part.text;
    case "tool-call":
      return part.source === "llm" ? summaryOf(part, writing) : "";
    case "todo":
      return part.restored ? todoText(part) : "";
    case "file":
      return isForModels(part) ? fileInWords(part) : "";
    case "reasoning":
    case "source":
    case "operation":
    case "step-start":
      return "";
    default:
      return part satisfies never;
  }
}

function summaryOf(part: ToolCallPart, writing: Writing): string {
  const args = boundOutput(JSON.stringify(part.args), maxCallTokens);
  const outcome = boundOutput(outcomeOf(part, writing), maxCallTokens);
  const { fence } = writing;
  const read = fence !== undefined && hasForeignOutcome(part) ? fenceIn(outcome, fence) : outcome;
  return `[Called ${part.toolName} with ${args}: ${read}]`;
}

function outcomeOf(part: ToolCallPart, { references = {} }: Writing): string {
  const { status, error } = part;
  if (status === "done") return asText(resultOf(part, references));
  return status === "error" ? `failed: ${error ?? "no reason reported"}` : "not completed";
}

function asText(result: JsonValue): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}

function isFilled(text: string): boolean {
  return text.trim() !== "";
}

/** A message that is too long by itself keeps its head and tail. */
function bounded(all: readonly Said[], { fence }: Writing, maxLength: number): Said[] {
  const kept: Said[] = [];
  const maxMessageTokens = Math.ceil(maxLength * messageTokensPerCharacter);
  let room = maxLength;
  for (const { role, content: whole } of all.toReversed()) {
    const content = boundOutput(whole, maxMessageTokens, fence);
    room -= content.length;
    if (room < 0) break;
    kept.push({ role, content });
  }
  kept.reverse();
  const left = all.length - kept.length;
  return left === 0
    ? kept
    : [{ role: "system", content: `[… ${counted(left, "earlier message")} omitted …]` }, ...kept];
}
