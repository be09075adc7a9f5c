import { list, oneOf, type Static, Type, text } from "@muster/wire/schema";
import type { GatewayContext } from "../../context.ts";
import type { Item } from "../openai/conversation.ts";
import { invalid, required } from "../openai/refusals.ts";
import { absentOr, maxItems, openObject } from "../openai/request-schemas.ts";
import { type SentFile, sentFile } from "../openai/sent-file.ts";

const contentPart = openObject("A part of a message.", {
  type: text("`text` or `image_url`."),
  text: absentOr(text("The text.")),
  image_url: absentOr(
    openObject("The image.", { url: text("Its address.", { minLength: 1, maxLength: 2_000 }) }),
  ),
});

const call = openObject("A call of a tool.", {
  id: text("The id of the call."),
  function: absentOr(
    openObject("The function.", { name: text("Its name."), arguments: text("The arguments, as JSON.") }),
  ),
});

const chatMessage = openObject("A message.", {
  role: oneOf("Who wrote it.", ["system", "developer", "user", "assistant", "tool"]),
  content: absentOr(
    Type.Union([Type.String(), Type.Array(contentPart)], { description: "The text, or the parts." }),
  ),
  tool_calls: absentOr(list("The calls of the assistant.", call)),
  tool_call_id: absentOr(text("The call that a result is for.")),
});

export const chatMessages = list("The conversation.", chatMessage, { minItems: 1, maxItems });

type ChatMessage = Static<typeof chatMessage>;

/** The conversation without the client's instructions: an agent has its own. Throws INVALID_REQUEST. */
export async function itemsOfMessages(
  context: GatewayContext,
  messages: readonly ChatMessage[],
): Promise<Item[]> {
  const items: Item[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    switch (message.role) {
      case "system":
      case "developer":
        break;
      case "user":
        items.push({ type: "user", path, ...(await contentOf(context, message, path)) });
        break;
      case "assistant":
        items.push({ type: "assistant", path, text: textOf(message, path) }, ...callsOf(message, path));
        break;
      case "tool": {
        const idPath = `${path}.tool_call_id`;
        const callId = required(message.tool_call_id, idPath);
        items.push({ type: "result", path: idPath, callId, output: textOf(message, path) });
      }
    }
  }
  return items;
}

function callsOf({ tool_calls: calls }: ChatMessage, path: string): Item[] {
  return (calls ?? []).map(({ id, function: called }, index) => {
    const at = `${path}.tool_calls.${index}`;
    const { name, arguments: given } = required(called, at, "must be the call of a function");
    return { type: "call", path: at, id, name, arguments: given };
  });
}

function partsOf({ content }: ChatMessage): Static<typeof contentPart>[] {
  if (typeof content !== "string") return content ?? [];
  return content === "" ? [] : [{ type: "text", text: content }];
}

function textOf(message: ChatMessage, path: string): string {
  const texts = partsOf(message).map(({ type, text }, index) => {
    if (type === "text" && typeof text === "string") return text;
    throw invalid(`${path}.content.${index}.type`, "must be text");
  });
  return texts.join("\n\n");
}

async function contentOf(context: GatewayContext, message: ChatMessage, path: string) {
  const texts: string[] = [];
  const files: SentFile[] = [];
  for (const [index, part] of partsOf(message).entries()) {
    const at = `${path}.content.${index}`;
    if (part.type === "text" && typeof part.text === "string") texts.push(part.text);
    else if (part.type === "image_url" && part.image_url)
      files.push(await sentFile(context, { url: part.image_url.url, path: `${at}.image_url.url` }));
    else throw invalid(`${at}.type`, "must be text or image_url");
  }
  return { text: texts.join("\n\n"), files };
}
