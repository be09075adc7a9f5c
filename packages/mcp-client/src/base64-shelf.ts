import type { CallToolResult, ContentBlock, JSONRPCMessage } from "@modelcontextprotocol/client";
import { isPlainObject } from "@muster/language/json";
import { isLarge } from "@muster/large-data";

/** Keeps the large files of a result apart while the SDK checks it: it would decode all of their base64 in one tick. */
export class Base64Shelf {
  /** By the position in the result's content. */
  readonly #kept = new Map<number, string>();

  /** Takes them out of a result that has just arrived. */
  takeFrom(message: JSONRPCMessage): void {
    if (!("result" in message) || !Array.isArray(message.result.content)) return;
    const parts: unknown[] = message.result.content;
    for (const [at, part] of parts.entries()) {
      if (!isPlainObject(part)) continue;
      this.#take(at, part, "data");
      if (isPlainObject(part.resource)) this.#take(at, part.resource, "blob");
    }
  }

  #take(at: number, holder: Record<string, unknown>, field: "data" | "blob"): void {
    const text = holder[field];
    if (typeof text !== "string" || !isLarge(text)) return;
    this.#kept.set(at, text);
    holder[field] = "";
  }

  /** The same result with its files. */
  putInto(result: CallToolResult): CallToolResult {
    if (this.#kept.size === 0) return result;
    const content = result.content.map((part, at) => withBase64(part, this.#kept.get(at)));
    return { ...result, content };
  }
}

function withBase64(part: ContentBlock, text: string | undefined): ContentBlock {
  if (text === undefined) return part;
  if (part.type === "resource") return { ...part, resource: { ...part.resource, blob: text } };
  return part.type === "image" || part.type === "audio" ? { ...part, data: text } : part;
}
