import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** The least that a stored part without text takes. */
const emptyPartBytes = 40;

/** The minimum number of bytes that a part adds to the conversation. */
export function sizeOfPart(part: LanguageModelV4StreamPart): number {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
    case "tool-input-delta":
      return Buffer.byteLength(part.delta);
    case "text-start":
    case "reasoning-start":
    case "tool-input-start":
    case "source":
      return emptyPartBytes;
    case "text-end":
    case "reasoning-end":
    case "tool-input-end":
    case "tool-call":
    case "tool-result":
    case "tool-approval-request":
    case "file":
    case "reasoning-file":
    case "custom":
    case "stream-start":
    case "response-metadata":
    case "finish":
    case "ping":
    case "raw":
    case "error":
      return 0;
    default:
      part satisfies never;
      return 0;
  }
}
