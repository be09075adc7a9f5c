import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { ModelCall } from "@muster/engine";
import { isLarge, nextTurn, type Pause } from "@muster/large-data";
import { keptText } from "../../store/state-text.ts";

/** So many messages are about as much work as a large text, for everyone who passes over them. */
const manyMessages = 500;

/**
 * The call as its provider package gets it. A large one waits until other work has run, because the machine has just built
 * it in one pass. `isLarge`: the conversation is, whatever its number of messages.
 */
export function readied(
  call: ModelCall,
  isLarge: boolean,
  pause: Pause = nextTurn,
): ModelCall | Promise<ModelCall> {
  const { length } = call.options.prompt;
  return isLarge || length >= manyMessages ? withResultsAsText(call, pause) : call;
}

/**
 * The call with large tool results as JSON text. Provider packages turn all results and then the request into JSON
 * without a break; of a text, only the second pass is left. Begins and ends with a pause.
 */
async function withResultsAsText(call: ModelCall, pause: Pause): Promise<ModelCall> {
  await pause();
  const prompt: LanguageModelV4Message[] = [];
  for (const message of call.options.prompt) {
    prompt.push(
      message.role === "tool" ? { ...message, content: await inText(message.content, pause) } : message,
    );
  }
  return { ...call, options: { ...call.options, prompt } };
}

async function inText(
  content: Extract<LanguageModelV4Message, { role: "tool" }>["content"],
  pause: Pause,
): Promise<typeof content> {
  const parts: typeof content = [];
  for (const part of content) {
    const large = part.type === "tool-result" ? asText(part) : undefined;
    parts.push(large ?? part);
    if (large !== undefined) await pause();
  }
  return parts;
}

/** Undefined if the result is small or no JSON. */
function asText(part: LanguageModelV4ToolResultPart): LanguageModelV4ToolResultPart | undefined {
  if (part.output.type !== "json") return undefined;
  const value = keptText(part.output.value) ?? JSON.stringify(part.output.value);
  return isLarge(value) ? { ...part, output: { type: "text", value } } : undefined;
}
