import { z } from "zod";
import { duplicatesIn, jsonObjectText, readBody } from "./rules.ts";

const callId = z.string().min(1).max(64);
const parts = z.array(z.looseObject({ type: z.string() })).min(1);
const itemSchema = z.union([
  z.object({
    type: z.literal("reasoning"),
    id: z.string().optional(),
    encrypted_content: z.string().nullish(),
  }),
  z.object({
    type: z.literal("function_call"),
    call_id: callId,
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    arguments: jsonObjectText,
  }),
  z.object({
    type: z.literal("function_call_output"),
    call_id: callId,
    output: z.union([z.string(), parts]),
  }),
  z.object({ type: z.literal("item_reference"), id: z.string() }),
  z
    .object({
      type: z.literal("message").optional(),
      role: z.enum(["system", "developer", "user", "assistant"]),
      content: z.union([z.string(), parts]),
    })
    .transform(({ role }) => ({ type: "message" as const, role })),
]);
type Item = z.infer<typeof itemSchema>;

const bodySchema = z.object({ input: z.array(itemSchema).min(1), store: z.boolean().optional() });

/** The rules of OpenAI's responses. */
export function openAiResponsesProblems(body: unknown): string[] {
  return readBody(bodySchema, body, ({ input, store }) => [
    ...pairProblems(input),
    ...input.flatMap((item, index) => reasoningProblems(item, input[index + 1], `input.${index}`)),
    ...(store === false ? input.flatMap((item, index) => keptProblems(item, `input.${index}`)) : []),
  ]);
}

function pairProblems(input: readonly Item[]): string[] {
  const calls = idsOf(input, "function_call");
  const results = idsOf(input, "function_call_output");
  const orphans = input.flatMap((item, index) => {
    if (item.type !== "function_call_output") return [];
    return idsOf(input.slice(0, index), "function_call").includes(item.call_id) ? [] : [item.call_id];
  });
  return [
    ...calls.filter((id) => !results.includes(id)).map((id) => `The function call ${id} has no output`),
    ...orphans.map((id) => `No function call before the output ${id}`),
    ...duplicatesIn(calls, "function_call"),
    ...duplicatesIn(results, "function_call_output"),
  ];
}

function idsOf(input: readonly Item[], type: "function_call" | "function_call_output"): string[] {
  return input.flatMap((item) => (item.type === type ? item.call_id : []));
}

/** Reasoning is followed by the message or the call that it led to. */
function reasoningProblems(item: Item, next: Item | undefined, at: string): string[] {
  if (item.type !== "reasoning") return [];
  const isFollowed =
    next?.type === "reasoning" ||
    next?.type === "function_call" ||
    (next?.type === "message" && next.role === "assistant");
  return isFollowed ? [] : [`${at}: reasoning without the item that must follow it`];
}

/** The references to items that the provider was asked not to keep. */
function keptProblems(item: Item, at: string): string[] {
  if (item.type === "item_reference") return [`${at} refers to an item that is not stored`];
  if (item.type !== "reasoning" || item.encrypted_content) return [];
  return [`${at}: reasoning is neither stored nor sent encrypted`];
}
