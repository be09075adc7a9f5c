import { list, oneOf, type Static, text } from "@muster/wire/schema";
import type { GatewayContext } from "../../context.ts";
import { openObject } from "../../schemas/common.ts";
import type { Item } from "../openai/conversation.ts";
import { contentOf, fileUrl, readContent } from "../openai/message-content.ts";
import { required } from "../openai/refusals.ts";
import { absentOr, maxItems } from "../openai/request-schemas.ts";

const call = openObject("A call of a tool.", {
  id: text("The id of the call."),
  function: absentOr(
    openObject("The function.", { name: text("Its name."), arguments: text("The arguments, as JSON.") }),
  ),
});

const chatMessage = openObject("A message.", {
  role: oneOf("Who wrote it.", ["system", "developer", "user", "assistant", "tool"]),
  content: contentOf("`text` or `image_url`.", {
    image_url: absentOr(openObject("The image.", { url: fileUrl })),
  }),
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
    const read = (fileIn?: typeof imageIn) =>
      readContent(context, message.content ?? "", `${path}.content`, fileIn);
    switch (message.role) {
      case "system":
      case "developer":
        break;
      case "user":
        items.push({ type: "user", path, ...(await read(imageIn)) });
        break;
      case "assistant":
        items.push({ type: "assistant", path, text: (await read()).text }, ...callsOf(message, path));
        break;
      case "tool": {
        const idPath = `${path}.tool_call_id`;
        const callId = required(message.tool_call_id, idPath);
        items.push({ type: "result", path: idPath, callId, output: (await read()).text });
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

function imageIn({ image_url }: { image_url?: { url: string } | null }) {
  return { url: image_url?.url };
}
