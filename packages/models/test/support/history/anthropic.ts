import { z } from "zod";
import { duplicatesIn, mismatch, readBody } from "./rules.ts";

const isBlank = (text: string): boolean => text.trim() === "";

/** The results of tools that Anthropic runs itself. */
const hostedResults = [
  "web_search_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
] as const;
const answers = new Set<string>([
  "thinking",
  "redacted_thinking",
  "tool_use",
  "server_tool_use",
  ...hostedResults,
]);

const blockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().min(1) }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string().min(1) }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string().regex(/^[A-Za-z0-9_-]+$/),
    name: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z
      .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
      .optional(),
  }),
  z.object({
    type: z.literal("server_tool_use"),
    id: z.string().regex(/^srvtoolu_[A-Za-z0-9_]+$/),
    name: z.enum(["web_search", "bash_code_execution", "text_editor_code_execution"]),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({ type: z.enum(hostedResults), tool_use_id: z.string() }),
  z.looseObject({ type: z.enum(["image", "document"]) }),
]);
type Block = z.infer<typeof blockSchema>;

const content = z.union([
  z.string().transform((text): Block[] => [{ type: "text", text }]),
  z.array(blockSchema),
]);
const bodySchema = z.object({
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content })).min(1),
  system: z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() }))]).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
});
type Message = z.infer<typeof bodySchema>["messages"][number];

/** The rules of Anthropic's messages. */
export function anthropicProblems(body: unknown): string[] {
  return readBody(bodySchema, body, ({ messages, system = [], thinking }) => [
    ...(typeof system === "string" ? [] : system.flatMap(({ text }) => blankText("system", text))),
    ...(messages[0]?.role === "user" ? [] : ["The first message is not the user's"]),
    ...messages.flatMap((message, index) => messageProblems(messages, message, index)),
    ...duplicatesIn(
      messages.flatMap(({ content }) => callIdsOf(content)),
      "tool_use id",
    ),
    ...endProblems(messages.at(-1), thinking?.type === "enabled"),
    ...(thinking?.type === "enabled" ? thinkingProblems(messages) : []),
  ]);
}

function messageProblems(messages: readonly Message[], message: Message, index: number): string[] {
  const { role, content } = message;
  const at = `messages.${index}`;
  const before = messages[index - 1];
  const isLast = index === messages.length - 1;
  return [
    ...(before?.role === role ? [`${at} has the same role as the message before it`] : []),
    ...(content.length === 0 && !(isLast && role === "assistant") ? [`${at} is empty`] : []),
    ...content.flatMap((block) => blockProblems(at, role, block)),
    ...(role === "user" ? resultProblems(at, content, before) : answerProblems(at, content)),
    ...(role === "assistant" && isLast && callIdsOf(content).length > 0 ? [`${at}: no results follow`] : []),
  ];
}

function blockProblems(at: string, role: Message["role"], block: Block): string[] {
  if (block.type === "text") return blankText(at, block.text);
  const isAnswers = answers.has(block.type);
  if (isAnswers !== (role === "assistant")) return [`${at}: ${block.type} in a message of role ${role}`];
  if (block.type !== "tool_result" || !Array.isArray(block.content)) return [];
  return block.content.flatMap(({ text }) =>
    text === undefined ? [] : blankText(`${at}, tool_result`, text),
  );
}

function blankText(at: string, text: string): string[] {
  return isBlank(text) ? [`${at}: a text without a word`] : [];
}

function answerProblems(at: string, content: readonly Block[]): string[] {
  const last = content.at(-1)?.type;
  const end = last === "thinking" || last === "redacted_thinking" ? [`${at} ends with ${last}`] : [];
  return [...end, ...mismatch(at, ...hostedIdsOf(content))];
}

/** The calls that Anthropic has carried out itself, and their results: both are in the same message. */
function hostedIdsOf(content: readonly Block[]): [calls: string[], results: string[]] {
  const calls = content.flatMap((block) => (block.type === "server_tool_use" ? block.id : []));
  const results = content.flatMap((block) => (isHostedResult(block) ? block.tool_use_id : []));
  return [calls, results];
}

function isHostedResult(block: Block): block is Extract<Block, { type: (typeof hostedResults)[number] }> {
  return hostedResults.some((type) => type === block.type);
}

/** Each call of the message before has one result, and the results precede anything else. */
function resultProblems(at: string, content: readonly Block[], before: Message | undefined): string[] {
  const results = content.flatMap((block) => (block.type === "tool_result" ? block.tool_use_id : []));
  const calls = before?.role === "assistant" ? callIdsOf(before.content) : [];
  const isFirst = content.slice(0, results.length).every(({ type }) => type === "tool_result");
  return [
    ...mismatch(at, calls, results),
    ...(isFirst ? [] : [`${at}: tool_result blocks do not come first`]),
  ];
}

function callIdsOf(content: readonly Block[]): string[] {
  return content.flatMap((block) => (block.type === "tool_use" ? block.id : []));
}

/** The conversation may end with the beginning of an answer, but not with white space, and not while thinking is on. */
function endProblems(last: Message | undefined, thinks: boolean): string[] {
  if (last?.role !== "assistant") return [];
  const block = last.content.at(-1);
  return [
    ...(thinks ? ["The conversation ends with the assistant although thinking is enabled"] : []),
    ...(block?.type === "text" && /\s$/.test(block.text) ? ["The last message ends with white space"] : []),
  ];
}

/** A turn of tool calls whose results are being sent began with thinking. */
function thinkingProblems(messages: readonly Message[]): string[] {
  const index = messages.findLastIndex(({ role }) => role === "assistant");
  const content = messages[index]?.content ?? [];
  if (callIdsOf(content).length === 0) return [];
  const first = content[0]?.type;
  if (first === "thinking" || first === "redacted_thinking") return [];
  return [`messages.${index}: expected thinking before the last tool calls, found ${first}`];
}
