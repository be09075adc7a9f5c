import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from "@ai-sdk/provider";
import { positionOf } from "@muster/engine";
import type { FileSupport } from "@muster/models";

/** The replacement of a file in the prompt: the file, its text, or a note that it cannot be read. */
export type Delivered =
  | { type: "text"; text: string }
  | { type: "file"; kind: "image" | "pdf"; part: LanguageModelV4FilePart };

type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;
type Output = Extract<ToolMessage["content"][number], { type: "tool-result" }>["output"];
type FilePart = LanguageModelV4FilePart;
type Sent = LanguageModelV4TextPart | FilePart;

/**
 * The prompt with the content of its files. Those that the provider does not take in the result of a tool follow in a message
 * of the user.
 */
export function withContents(
  prompt: readonly LanguageModelV4Message[],
  delivered: readonly Delivered[],
  { inResults }: Pick<FileSupport, "inResults">,
): LanguageModelV4Message[] {
  const sent: LanguageModelV4Message[] = [];
  let moved: FilePart[] = [];
  const isInResult = (kind: "image" | "pdf") => (kind === "image" ? inResults.images : inResults.pdf);
  for (const message of prompt) {
    if (moved.length > 0) {
      sent.push(movedMessage(moved, message));
      moved = [];
      if (message.role === "user") continue;
    }
    if (message.role === "user") sent.push(userMessage(message));
    else if (message.role === "tool") sent.push(toolMessage(message));
    else sent.push(message);
  }
  if (moved.length > 0) sent.push(movedMessage(moved));
  return sent;

  function userMessage(message: UserMessage): UserMessage {
    return { ...message, content: message.content.map((part) => contentOf(part)) };
  }

  function movedMessage(files: readonly FilePart[], next?: LanguageModelV4Message): UserMessage {
    const own = next?.role === "user" ? userMessage(next).content : [];
    const words = { type: "text" as const, text: "The files that the tools returned:" };
    return { role: "user", content: [words, ...files, ...own] };
  }

  function contentOf(part: UserMessage["content"][number]): Sent {
    const found = part.type === "file" ? deliveredFor(part) : undefined;
    if (found === undefined) return part;
    return found.type === "text" ? found : found.part;
  }

  function toolMessage(message: ToolMessage): ToolMessage {
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === "tool-result" ? { ...part, output: resultOf(part.output) } : part,
      ),
    };
  }

  function resultOf(output: Output): Output {
    if (output.type !== "content") return output;
    const texts: string[] = [];
    const files: FilePart[] = [];
    for (const item of output.value) {
      const found = item.type === "file" ? deliveredFor(item) : undefined;
      if (item.type === "text") texts.push(item.text);
      else if (found?.type === "text") texts.push(found.text);
      else if (found !== undefined && isInResult(found.kind)) files.push(found.part);
      else if (found !== undefined) {
        const { filename = "file", mediaType } = found.part;
        texts.push(`[File: ${filename} (${mediaType}), in the next message]`);
        moved.push(found.part);
      }
    }
    // Some packages make a result of each text.
    const text = texts.join("\n\n");
    return files.length === 0
      ? { type: "text", value: text }
      : { type: "content", value: [{ type: "text", text }, ...files] };
  }

  function deliveredFor(part: Pick<FilePart, "data">): Delivered | undefined {
    const position = positionOf(part);
    return position === undefined ? undefined : delivered[position];
  }
}
