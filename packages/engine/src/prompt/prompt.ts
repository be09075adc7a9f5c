import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type {
  Conversation,
  StoredMessage,
  StoredPart,
  ThreadSummary,
  ToolCallPart,
} from "../conversation/conversation.ts";
import { addFile, fileInWords, isForModels } from "../conversation/files.ts";
import { asObject, todoText } from "../conversation/messages.ts";
import { counted, modelCallId, type OutputOptions, toolNameOf, toResult } from "./tool-output.ts";

export interface PromptOptions extends Missing, OutputOptions {
  /** The threads that the model reads. */
  threads: readonly string[];
  /** The rendered system prompt. */
  system?: string;
  /** The model's provider carries out tools itself, and reads the calls that it has carried out before. */
  takesHostedCalls?: boolean;
  /** The turn whose users' files the model must be able to read. */
  executionId?: string;
}

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** Some providers refuse a conversation that begins or ends with the assistant. */
const opening = "Begin.";
const goOn = "Continue.";

/**
 * The prompt for a model, in the strictest form that any provider requires: system messages first (including those
 * added later), then user and assistant in turn, an assistant's tool calls followed at once by one result each, no
 * empty messages.
 *
 * Calls made by tool-call blocks are omitted: the model did not make them, some providers demand proof (signatures)
 * that it did, and handlers pass the result on with the block's `output`.
 */
export function toPrompt(
  conversation: Pick<Conversation, "messages">,
  options: PromptOptions,
): LanguageModelV4Prompt {
  const threads = new Set(options.threads);
  const messages = conversation.messages.filter(({ thread }) => threads.has(thread));
  const kept = options.summary?.system ?? [];
  const system = [options.system ?? "", ...kept, ...messages.filter(isSystem).map(textOf)].filter(isFilled);
  const talk: LanguageModelV4Prompt = [];
  const preface = prefaceOf(messages, options);
  if (preface !== undefined) talk.push(userMessage(preface));
  for (const message of messages) {
    if (message.role === "user") addUser(talk, userContent(message, options));
    else if (message.role === "assistant") addAnswer(talk, message, options);
  }
  if (talk[0]?.role !== "user") talk.unshift(userMessage(opening));
  if (talk.at(-1)?.role === "assistant") talk.push(userMessage(goOn));
  return system.map((content): LanguageModelV4Message => ({ role: "system", content })).concat(talk);
}

function userMessage(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function isSystem({ role }: StoredMessage): boolean {
  return role === "system";
}

function isFilled(text: string): boolean {
  return text.trim() !== "";
}

/** No provider takes files in a system message. */
function textOf({ parts }: StoredMessage): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return part.text;
      return part.type === "file" ? fileInWords(part) : [];
    })
    .join("\n");
}

/** Runs for every message of a conversation, in every step. */
function userContent(message: StoredMessage, { files = [], executionId }: PromptOptions): UserContent {
  const content: UserContent = [];
  for (const part of message.parts) {
    if (part.type === "text" && isFilled(part.text)) content.push({ type: "text", text: part.text });
    else if (part.type === "file" && isForModels(part)) {
      const isRequired = executionId !== undefined && message.executionId === executionId;
      content.push(addFile(files, { ...part, isRequired }));
    }
  }
  return content;
}

function addUser(talk: LanguageModelV4Prompt, content: UserContent): void {
  const last = talk.at(-1);
  if (content.length === 0) return;
  if (last?.role === "user") last.content.push(...content);
  else talk.push({ role: "user", content });
}

function addAnswer(talk: LanguageModelV4Prompt, message: StoredMessage, options: PromptOptions): void {
  for (const step of stepsOf(message.parts)) {
    addAssistant(talk, assistantContent(step, options));
    const calls = step.filter(isModelsCall);
    if (calls.length === 0) continue;
    talk.push({ role: "tool", content: calls.map((call) => toResult(call, options)) });
  }
}

function addAssistant(talk: LanguageModelV4Prompt, content: AssistantContent): void {
  const last = talk.at(-1);
  if (content.length === 0) return;
  if (last?.role === "assistant") last.content.push(...content);
  else talk.push({ role: "assistant", content });
}

function stepsOf(parts: readonly StoredPart[]): ReadonlyArray<readonly StoredPart[]> {
  if (!parts.some(({ type }) => type === "step-start")) return [parts];
  const steps: StoredPart[][] = [[]];
  for (const part of parts) {
    if (part.type === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps;
}

function isModelsCall(part: StoredPart): part is ToolCallPart {
  return part.type === "tool-call" && part.source === "llm" && part.hosted === undefined;
}

function assistantContent(step: readonly StoredPart[], options: PromptOptions): AssistantContent {
  const content: AssistantContent = [];
  for (const part of step) content.push(...toContent(part, options));
  // Providers refuse reasoning without output after it, which a cut step can leave behind.
  while (content.at(-1)?.type === "reasoning") content.pop();
  return content;
}

function toContent(part: StoredPart, options: PromptOptions): AssistantContent {
  switch (part.type) {
    case "text":
    case "object":
      return isFilled(part.text) ? [{ type: "text", text: part.text, ...fromProvider(part) }] : [];
    case "reasoning":
      return [{ type: "reasoning", text: part.text, ...fromProvider(part) }];
    case "tool-call":
      if (part.hosted !== undefined) return hostedContent(part, part.hosted, options);
      return part.source === "llm" ? [toCall(part)] : [];
    case "todo":
      // With blank lines around it, because some adapters join the texts of a message without a separator.
      return part.restored ? [{ type: "text", text: `\n\n${todoText(part)}\n\n` }] : [];
    case "file":
      if (!isForModels(part)) return [];
      // No provider accepts files in messages of an assistant.
      return [{ type: "text", text: `\n\n${fileInWords(part)}\n\n` }];
    case "source":
    case "operation":
    case "step-start":
      return [];
    default:
      return part satisfies never;
  }
}

function toCall(part: ToolCallPart): AssistantContent[number] {
  return {
    type: "tool-call",
    toolCallId: modelCallId(part.toolCallId),
    toolName: toolNameOf(part),
    input: asObject(part.args),
    ...fromProvider(part),
  };
}

/**
 * A call that the provider carried out, with its result, in the same message. Only that provider understands it, and only
 * whole; the model's own words about the result are enough for others.
 */
function hostedContent(
  part: ToolCallPart,
  { callId: toolCallId }: NonNullable<ToolCallPart["hosted"]>,
  { takesHostedCalls }: PromptOptions,
): AssistantContent {
  if (takesHostedCalls !== true || part.status !== "done") return [];
  const names = { toolCallId, toolName: part.toolName };
  const call = { type: "tool-call", ...names, input: asObject(part.args), providerExecuted: true } as const;
  const output = { type: "json", value: part.result ?? null } as const;
  return [
    { ...call, ...fromProvider(part) },
    { type: "tool-result", ...names, output },
  ];
}

function fromProvider({ providerMetadata }: { providerMetadata?: SharedV4ProviderMetadata }) {
  return providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
}

/** The messages that a prompt lacks. */
export interface Missing {
  /** Replaces the messages before those given. Absent: these are all. */
  summary?: ThreadSummary;
  /** How many messages are left out without a summary. Absent: none. */
  omitted?: number;
}

/** The text that a model reads instead of messages that are not in its prompt; undefined if all are. */
export function prefaceOf(
  messages: readonly StoredMessage[],
  { summary, omitted = 0 }: Missing,
): string | undefined {
  const pieces: string[] = [];
  if (summary !== undefined) {
    pieces.push(`[This summary stands for the earlier part of the conversation:]\n\n${summary.text}`);
    if (summary.todos !== undefined && !messages.some(writesTodos))
      pieces.push(todoText({ todos: summary.todos }));
    if (summary.request !== undefined)
      pieces.push(`[The request that is being worked on:]\n\n${summary.request}`);
  }
  if (omitted > 0) {
    const left = counted(omitted, "earlier message");
    pieces.push(`[… ${left} ${omitted === 1 ? "is" : "are"} left out, for lack of room …]`);
  }
  if (pieces.length === 0) return undefined;
  return [...pieces, "[The conversation continues:]"].join("\n\n");
}

/** The model sees a newer list in its own call. */
function writesTodos({ parts }: StoredMessage): boolean {
  return parts.some(({ type }) => type === "todo");
}
