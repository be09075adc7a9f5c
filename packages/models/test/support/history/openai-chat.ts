import { z } from "zod";
import { duplicatesIn, jsonObjectText, mismatch, readBody } from "./rules.ts";

const textParts = z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).min(1);
const text = z.union([z.string(), textParts]);
const toolCall = z.object({
  // Azure and most servers that imitate OpenAI refuse longer ids.
  id: z.string().min(1).max(40),
  type: z.literal("function"),
  function: z.object({ name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), arguments: jsonObjectText }),
});
const messageSchema = z.discriminatedUnion("role", [
  z.object({ role: z.enum(["system", "developer", "user"]), content: text }),
  z.object({
    role: z.literal("assistant"),
    content: text.nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: text }),
]);
type Message = z.infer<typeof messageSchema>;

const bodySchema = z.object({ messages: z.array(messageSchema).min(1) });

/** The rules of OpenAI's chat completions. */
export function openAiChatProblems(body: unknown): string[] {
  return readBody(bodySchema, body, ({ messages }) => [
    ...messages.flatMap((message, index) => messageProblems(messages, message, index)),
    ...duplicatesIn(messages.flatMap(callIdsOf), "tool_calls id"),
  ]);
}

function messageProblems(messages: readonly Message[], message: Message, index: number): string[] {
  const at = `messages.${index}`;
  if (message.role === "tool") {
    const before = messages.slice(0, index).findLast(({ role }) => role !== "tool");
    const isAnswer = before !== undefined && callIdsOf(before).includes(message.tool_call_id);
    return isAnswer ? [] : [`${at}: no tool_calls before it contain ${message.tool_call_id}`];
  }
  if (message.role !== "assistant") return [];
  const calls = callIdsOf(message);
  if (calls.length === 0) return message.content == null ? [`${at} has neither content nor tool_calls`] : [];
  return mismatch(at, calls, resultsAfter(messages, index));
}

/** The results that follow at once. */
function resultsAfter(messages: readonly Message[], index: number): string[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== "tool");
  return rest
    .slice(0, end === -1 ? undefined : end)
    .flatMap((message) => (message.role === "tool" ? message.tool_call_id : []));
}

function callIdsOf(message: Message): string[] {
  return message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
}
