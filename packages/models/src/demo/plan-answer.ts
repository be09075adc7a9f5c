import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { nextDemonstrationStep } from "./next-demonstration-step.ts";
import { asksForSummary, summaryOf } from "./summary.ts";
import { namedValuesIn, valuesFrom, wordsOf } from "./values.ts";

/** A reply of the demo model: text, tool calls, or text followed by tool calls. */
export interface Answer {
  /** The model's thoughts before, if it is to think. */
  reasoning?: string;
  text: string;
  toolCalls: Array<{ toolCallId: string; toolName: string; input: string }>;
}

type FileLike = Pick<LanguageModelV4FilePart, "filename" | "mediaType" | "data">;

const label = "[demo/echo, not a language model]";
const maxQuotedLength = 600;

/** Plans the reply. The same call always gets the same reply. */
export function planAnswer(options: LanguageModelV4CallOptions): Answer {
  const answer = replyTo(options);
  const { reasoning = "none" } = options;
  return reasoning === "none" || reasoning === "provider-default"
    ? answer
    : { ...answer, reasoning: `${label} ${reasonFor(answer, options)}` };
}

function reasonFor({ toolCalls }: Answer, { prompt, responseFormat }: LanguageModelV4CallOptions): string {
  if (toolCalls.length > 0) return `I call ${namesOf(toolCalls)}.`;
  const hasResults = resultsAtEnd(prompt).length > 0;
  if (responseFormat?.type === "json")
    return `An object is expected. I fill it from ${hasResults ? "the results of the tools" : "the message"}.`;
  if (hasResults) return "The tools have returned something. I repeat it.";
  return "The message names no tool. I repeat it.";
}

function replyTo(options: LanguageModelV4CallOptions): Answer {
  if (asksForSummary(options))
    return { text: `${label} ${summaryOf(lastUserText(options.prompt))}`, toolCalls: [] };
  const demonstration = demonstrationFor(options);
  if (demonstration !== undefined) return demonstration;
  const results = resultsAtEnd(options.prompt);
  if (results.length > 0) return replyToResults(results, options);
  const message = lastUserText(options.prompt);
  const toolCalls = callsFor(message, options);
  if (toolCalls.length > 0) {
    return { text: `${label} Calling ${namesOf(toolCalls)}.`, toolCalls };
  }
  if (options.responseFormat?.type === "json") {
    const value = valuesFrom(message, options.responseFormat.schema ?? { type: "object" });
    return { text: JSON.stringify(value), toolCalls: [] };
  }
  const text =
    message === "" ? "The conversation has no user message to echo." : `You said: ${shorten(message)}`;
  return { text: `${label} ${text}`, toolCalls: [] };
}

function replyToResults(
  results: readonly LanguageModelV4ToolResultPart[],
  { responseFormat }: LanguageModelV4CallOptions,
): Answer {
  const summary = results.map(summarise).join(" ");
  if (responseFormat?.type !== "json") return { text: `${label} ${summary}`, toolCalls: [] };
  const known = namedValuesIn(
    results.map(({ output }) => (output.type === "json" ? output.value : undefined)),
  );
  const value = valuesFrom(summary, responseFormat.schema ?? { type: "object" }, known);
  return { text: JSON.stringify(value), toolCalls: [] };
}

function namesOf(toolCalls: Answer["toolCalls"]): string {
  return toolCalls.map(({ toolName }) => toolName).join(" and ");
}

/** Unless the message names a tool, which is then called instead. */
function demonstrationFor(options: LanguageModelV4CallOptions): Answer | undefined {
  const { prompt, toolChoice, responseFormat } = options;
  if ((toolChoice !== undefined && toolChoice.type !== "auto") || responseFormat?.type === "json")
    return undefined;
  const message = lastUserText(prompt);
  if (message === "" || toolsNamedIn(message, functionsOf(options)).length > 0) return undefined;
  const step = nextDemonstrationStep(options, message);
  if (step === undefined) return undefined;
  const { toolName, input } = step.call;
  const toolCallId = `demo-call-${countCalls(prompt) + 1}`;
  return {
    text: `${label} ${step.text}`,
    toolCalls: [{ toolCallId, toolName, input: JSON.stringify(input) }],
  };
}

function functionsOf({ tools = [] }: LanguageModelV4CallOptions) {
  return tools.filter((tool) => tool.type === "function");
}

function callsFor(message: string, options: LanguageModelV4CallOptions): Answer["toolCalls"] {
  if (options.toolChoice?.type === "none") return [];
  const tools = functionsOf(options);
  const named = toolsNamedIn(message, tools);
  const first = tools[0];
  const { toolChoice } = options;
  const chosen =
    toolChoice?.type === "tool" ? tools.filter(({ name }) => name === toolChoice.toolName) : named;
  const needed = toolChoice?.type === "required" && chosen.length === 0 && first ? [first] : chosen;
  const before = countCalls(options.prompt);
  return needed.map((tool, index) => ({
    // Counted, not random: the same conversation always gets the same ids, and no id occurs twice.
    toolCallId: `demo-call-${before + index + 1}`,
    toolName: tool.name,
    input: JSON.stringify(argumentsFor(message, tool)),
  }));
}

function argumentsFor(message: string, tool: { name: string; inputSchema: unknown }): unknown {
  const values = valuesFrom(message, tool.inputSchema);
  return typeof values === "object" && values !== null ? values : {};
}

/** The tools whose names occur in the message, in the order of the message. A longer name hides a shorter one inside it. */
function toolsNamedIn<T extends { name: string }>(message: string, tools: T[]): T[] {
  let text = ` ${wordsOf(message)} `;
  const found: Array<{ tool: T; at: number }> = [];
  for (const tool of tools.toSorted((a, b) => b.name.length - a.name.length)) {
    const name = ` ${wordsOf(tool.name)} `;
    const at = text.indexOf(name);
    if (at < 0 || name.trim() === "") continue;
    found.push({ tool, at });
    text = text.replaceAll(name, ` ${"\0".repeat(name.length - 2)} `);
  }
  return found.sort((a, b) => a.at - b.at).map(({ tool }) => tool);
}

function lastUserText(prompt: LanguageModelV4Prompt): string {
  const message = prompt.findLast(({ role }) => role === "user");
  if (message?.role !== "user") return "";
  return message.content
    .map((part) => (part.type === "text" ? shortFile(part.text) : describeFile(part)))
    .join(" ")
    .trim();
}

/** The form in which the platform delivers a text file: its name and type, then its content. */
const textFile = /^File (.{1,300}) \(([\w.+/-]{1,200})\):\n\n/;

/** A text file is named like any other file. */
function shortFile(text: string): string {
  const [header, name, mediaType] = textFile.exec(text) ?? [];
  if (header === undefined) return text;
  return `[file ${name}, ${mediaType}, ${Buffer.byteLength(text.slice(header.length))} bytes]`;
}

/** Name, type and size: the proof that a file has arrived. */
function describeFile({ filename, mediaType, data }: FileLike): string {
  const bytes = data.type === "data" ? `, ${sizeOf(data.data)} bytes` : "";
  return `[file${filename === undefined ? "" : ` ${filename}`}, ${mediaType}${bytes}]`;
}

function sizeOf(data: Uint8Array | string): number {
  return typeof data === "string" ? Buffer.byteLength(data, "base64") : data.byteLength;
}

/** The tool results at the end of the conversation, to which the model has not replied yet. */
function resultsAtEnd(prompt: LanguageModelV4Prompt): LanguageModelV4ToolResultPart[] {
  const start = prompt.findLastIndex(({ role }) => role !== "tool") + 1;
  return prompt
    .slice(start)
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .filter((part) => part.type === "tool-result");
}

function summarise({ toolName, output }: LanguageModelV4ToolResultPart): string {
  switch (output.type) {
    case "text":
      return `The tool ${toolName} returned: ${clause(output.value)}.`;
    case "json":
      return `The tool ${toolName} returned ${describe(output.value)}.`;
    case "content":
      return `The tool ${toolName} returned: ${clause(output.value.map((part) => (part.type === "text" ? part.text : part.type === "file" ? describeFile(part) : `[${part.type}]`)).join(" "))}.`;
    case "execution-denied":
      return `The tool ${toolName} was not allowed to run.`;
    case "error-text":
      return `The tool ${toolName} failed: ${clause(output.value)}.`;
    case "error-json":
      return `The tool ${toolName} failed: ${describe(output.value)}.`;
  }
}

function describe(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return clause(JSON.stringify(value));
  const entries = Object.entries(value).map(([name, item]) => `${name} ${plain(item)}`);
  return clause(entries.length > 0 ? entries.join(", ") : "nothing");
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A text inside a sentence, which ends with a full stop of its own. */
function clause(text: string): string {
  return shorten(text).replace(/\.+$/, "");
}

function shorten(text: string): string {
  const line = text.trim();
  return line.length > maxQuotedLength ? `${line.slice(0, maxQuotedLength)}…` : line;
}

function countCalls(prompt: LanguageModelV4Prompt): number {
  return prompt
    .flatMap((message) => (message.role === "assistant" ? message.content : []))
    .filter((part) => part.type === "tool-call").length;
}
