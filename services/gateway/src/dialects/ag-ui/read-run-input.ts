import type { Static } from "@muster/wire/schema";
import { jsonTextOf } from "../../edge/body/request-bodies.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { toDynamicTool, toToolResult } from "../../schemas/tools.ts";
import { messageInput, type WantedTurn } from "../chat-turn.ts";
import type { runBody } from "./schemas.ts";

type RunInput = Static<typeof runBody>;
type Message = RunInput["messages"][number];

/** `follow`: the reader returns, and has nothing to send. */
export type WantedRun = WantedTurn | { type: "follow" };

/** Throws INVALID_REQUEST for a message that cannot be sent. */
export function readRunInput({ messages, tools = [], resume = [] }: RunInput): WantedRun {
  if (resume.length > 0) return { type: "decide", decisions: resume.map(decisionOf) };
  const at = messages.length - 1;
  const last = messages[at];
  if (last?.role === "user") {
    const dynamicTools = tools.map(({ name, description, parameters = { type: "object" } }) =>
      toDynamicTool({ name, description, inputSchema: parameters }),
    );
    return { type: "begin", trigger: { ...readContent(last, `messages.${at}.content`), dynamicTools } };
  }
  if (last?.role !== "tool") return { type: "follow" };
  const before = messages.findLastIndex(({ role }) => role !== "tool");
  const toolResults = messages
    .slice(before + 1)
    .map((message, index) => resultOf(message, before + 1 + index));
  return { type: "continue", trigger: { toolResults } };
}

function decisionOf({ interruptId, status, payload }: NonNullable<RunInput["resume"]>[number]) {
  const isApproved = status === "resolved" && payload?.approved === true;
  return {
    ...{ id: interruptId, decision: isApproved ? "approve" : "deny", message: payload?.message ?? "" },
    ...(isApproved && payload.args !== undefined && { argsJson: jsonTextOf(payload.args) }),
  };
}

function resultOf({ toolCallId, content, error }: Message, at: number) {
  if (toolCallId === undefined)
    throw badRequest("body", [{ path: `messages.${at}.toolCallId`, message: "is required" }]);
  if (error !== undefined) return toToolResult({ toolCallId, error });
  return toToolResult({
    toolCallId,
    result: typeof content === "string" ? parsed(content) : (content ?? null),
  });
}

/** Clients send JSON as text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readContent({ content }: Message, path: string) {
  if (typeof content === "string") return messageInput(content);
  if (!Array.isArray(content))
    throw badRequest("body", [{ path, message: "must be a text or a list of parts" }]);
  const texts: string[] = [];
  const files: object[] = [];
  for (const [index, part] of content.entries()) {
    const read = readPart(part);
    if (read === undefined) {
      const message =
        "must be a text, or media with a source of the type url and a mimeType: upload the file first";
      throw badRequest("body", [{ path: `${path}.${index}`, message }]);
    }
    if (typeof read === "string") texts.push(read);
    else files.push(read);
  }
  return messageInput(texts.join("\n"), files);
}

const media = new Set(["image", "audio", "video", "document"]);

function readPart(part: unknown): string | object | undefined {
  const { type, text, source } = fieldsOf(part);
  if (type === "text" && typeof text === "string") return text;
  const { type: from, value: url, mimeType: mediaType } = fieldsOf(source);
  const isFile = typeof type === "string" && media.has(type) && from === "url";
  if (!isFile || typeof url !== "string" || typeof mediaType !== "string") return undefined;
  return /^https?:/.test(url) && url.length <= 2_000 ? { id: url.slice(0, 200), mediaType, url } : undefined;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
