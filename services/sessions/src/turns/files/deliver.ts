import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from "@ai-sdk/provider";
import { boundOutput, fenceIn, maxFileTextTokens, type PromptFile, positionOf } from "@muster/engine";
import type { FileSupport } from "@muster/models";
import { nameOfFile } from "@muster/storage/files";
import { type FileContent, UnreadableFile } from "./read-content.ts";

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

export function deliveredAs(file: PromptFile, { bytes, mediaType, filename }: FileContent): Delivered {
  const name = filename ?? file.filename ?? file.id;
  const kind = kindOf(mediaType);
  if (kind !== "image" && kind !== "pdf") return inText(name, mediaType, bytes, file.fence);
  // Text instead of bytes, because packages turn bytes into text one by one, without a break.
  const data = { type: "data" as const, data: bytes.toString("base64") };
  return { type: "file", kind, part: { type: "file", mediaType, filename: name, data } };
}

function inText(name: string, mediaType: string, bytes: Buffer, fence: string | undefined): Delivered {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UnreadableFile(`The file ${name} is not text in UTF-8.`, false, { cause: error });
  }
  const kept = boundOutput(text, maxFileTextTokens);
  const read = fence === undefined ? kept : fenceIn(kept, fence);
  return { type: "text", text: `File ${name} (${mediaType}):\n\n${read}` };
}

export function byUrl(file: PromptFile): Delivered {
  const { mediaType, filename } = file;
  const data = { type: "url" as const, url: new URL(file.url) };
  const part = { type: "file" as const, mediaType, data, ...(filename !== undefined && { filename }) };
  return { type: "file", kind: "pdf", part };
}

/** A provider would refuse the whole conversation. */
export function assertType(file: PromptFile, { bytes, mediaType }: FileContent): void {
  if (looksLike(mediaType, bytes)) return;
  throw new UnreadableFile(`The content of the file ${nameOfFile(file)} is not ${mediaType}.`);
}

/** The files that models can read at all. The others are refused where they arrive. */
type FileKind = "image" | "pdf" | "text";

const textual = /^text\/|^application\/(?:.+\+)?(?:json|xml|yaml)$/;

/** Undefined for a media type that no model is sent. Those of workforce agents' messages may be any. */
export function kindOf(mediaType: string): FileKind | undefined {
  if (mediaType.startsWith("image/")) return "image";
  if (mediaType === "application/pdf") return "pdf";
  return textual.test(mediaType) ? "text" : undefined;
}

/** Why a model cannot be sent a file of this type, as the end of a sentence; undefined if it can. */
export function obstacleTo(
  support: FileSupport,
  mediaType: string,
  isPublicUrl: boolean,
): string | undefined {
  switch (kindOf(mediaType)) {
    case "text":
      return undefined;
    case "image":
      if (support.images.length === 0) return "the model does not read images";
      if (support.images.includes(mediaType)) return undefined;
      return `the model does not read ${mediaType}; send ${support.images.join(", ")}`;
    case "pdf":
      if (support.pdf === "none") return "the model does not read PDF documents";
      if (support.pdf === "bytes" || isPublicUrl) return undefined;
      return "the model reads PDF documents only from a public https address, not uploaded ones";
    case undefined:
      return `no model reads ${mediaType}`;
  }
}

const signatures: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  "image/png": (bytes) => hasAt(bytes, 0, "\x89PNG\r\n\x1a\n"),
  "image/jpeg": (bytes) => hasAt(bytes, 0, "\xff\xd8\xff"),
  "image/gif": (bytes) => hasAt(bytes, 0, "GIF8"),
  "image/webp": (bytes) => hasAt(bytes, 0, "RIFF") && hasAt(bytes, 8, "WEBP"),
  // Readers accept other bytes before the header, as generators write them.
  "application/pdf": (bytes) => latin1(bytes.subarray(0, 1_024)).includes("%PDF-"),
};

/** Whether the content may be of this type. A provider would refuse the whole conversation for it. */
function looksLike(mediaType: string, bytes: Uint8Array): boolean {
  return signatures[mediaType]?.(bytes) ?? true;
}

function hasAt(bytes: Uint8Array, start: number, text: string): boolean {
  return latin1(bytes.subarray(start, start + text.length)) === text;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
