import { defaultFileRules } from "@muster/storage/files";
import type { FileRef, StoredMessage, StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { isForModels, maxFileTextTokens } from "../conversation/files.ts";
import { hasForeignText, todoText } from "../conversation/messages.ts";
import { boundOutput, type References, resultOf } from "../prompt/tool-output.ts";

/**
 * Tokens are estimated: a tokenizer of each provider would cost more than the call, and be wrong for new models. Four
 * bytes of UTF-8 make a token, which is right for English and too high for few languages; the reports of providers
 * correct it.
 */
const bytesPerToken = 4;

/** For its role and the separators around it. */
export const tokensPerMessage = 4;
const tokensPerCall = 12;

/** The most that most providers count, for any resolution. */
const tokensPerImage = 1_600;
/** A page of a PDF is text and an image, and takes about this many bytes. */
const pdf = { tokensPerPage: 3_000, bytesPerPage: 60_000 } as const;
/** The estimate for a file of unknown size. */
const unknownFileBytes = 100_000;

/** How a thread's model reads tool results. */
export interface Reading {
  maxToolOutputTokens?: number | undefined;
  references?: References;
}

export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

const known = new WeakMap<StoredMessage, { tokens: number; bound: number | undefined }>();

/** A message that is done never changes, so that each is counted once. */
export function tokensOf(message: StoredMessage, reading: Reading): number {
  const bound = reading.maxToolOutputTokens;
  const before = known.get(message);
  if (before !== undefined && before.bound === bound) return before.tokens;
  const tokens = tokensPerMessage + tokensOfParts(message.parts, reading);
  if (message.status === "done") known.set(message, { tokens, bound });
  return tokens;
}

export function tokensOfParts(parts: readonly StoredPart[], reading: Reading): number {
  let tokens = 0;
  for (const part of parts) tokens += tokensOfPart(part, reading);
  return tokens;
}

function tokensOfPart(part: StoredPart, reading: Reading): number {
  switch (part.type) {
    case "text":
    case "object":
    case "reasoning":
      return tokensIn(part.text);
    case "tool-call":
      return part.source === "llm" ? tokensOfCall(part, reading) : 0;
    case "todo":
      return part.restored ? tokensIn(todoText(part)) : 0;
    case "file":
      // Models read the files of a call with its result.
      return isForModels(part) ? tokensOfFile(part) : 0;
    case "source":
    case "operation":
    case "step-start":
      return 0;
    default:
      return part satisfies never;
  }
}

/** Around foreign text. */
const fenceTokens = 40;

function tokensOfCall(part: ToolCallPart, { maxToolOutputTokens, references = {} }: Reading): number {
  const args = tokensIn(JSON.stringify(part.args));
  const result = part.error ?? resultOf(part, references);
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const files = (part.files ?? []).reduce((sum, file) => sum + tokensOfFile(file), 0);
  const fence = hasForeignText(part) ? fenceTokens : 0;
  return tokensPerCall + args + tokensIn(boundOutput(text, maxToolOutputTokens)) + fence + files;
}

/**
 * Providers count images by their pixels and documents by their pages; neither is known here. The size is the caller's
 * claim: a larger file than usually allowed exceeds every context window anyway.
 */
export function tokensOfFile({ mediaType, size: claimed = unknownFileBytes }: FileRef): number {
  const size = Math.min(claimed, defaultFileRules.maxBytes);
  if (mediaType.startsWith("image/")) return tokensPerImage;
  if (mediaType === "application/pdf")
    return pdf.tokensPerPage * Math.max(1, Math.ceil(size / pdf.bytesPerPage));
  return Math.min(Math.ceil(size / bytesPerToken), maxFileTextTokens);
}
