import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import { isLarge, nextTurn, type Pause } from "@muster/large-data";
import type { ModelCall } from "../engine/boundary/machine.ts";

/**
 * The call with large tool results as JSON text. Provider packages turn all results and then the request into JSON
 * without a break; of a text, only the second pass is left. Begins and ends with a pause.
 */
export async function withResultsAsText(call: ModelCall, pause: Pause = nextTurn): Promise<ModelCall> {
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
  const value = JSON.stringify(part.output.value);
  return isLarge(value) ? { ...part, output: { type: "text", value } } : undefined;
}
