import { list, type Static, Type, text } from "@muster/wire/schema";
import type { GatewayContext } from "../../context.ts";
import type { Decision } from "../chat-turn.ts";
import type { Item } from "../openai/conversation.ts";
import { invalid, required } from "../openai/refusals.ts";
import { absentOr, maxItems, openObject } from "../openai/request-schemas.ts";
import { type SentFile, sentFile } from "../openai/sent-file.ts";

const address = text("Its address.", { minLength: 1, maxLength: 2_000 });

const contentPart = openObject("A part of a message.", {
  type: text("`input_text`, `output_text`, `input_image` or `input_file`."),
  text: absentOr(text("The text.")),
  image_url: absentOr(address),
  file_url: absentOr(address),
  filename: absentOr(text("The name of the file.", { minLength: 1, maxLength: 255 })),
});

const content = Type.Union([Type.String(), Type.Array(contentPart)], { description: "A text, or parts." });

const item = openObject("An item of the conversation.", {
  type: absentOr(text("The kind of item. Absent: a message.")),
  role: absentOr(text("Who wrote the message.")),
  content: absentOr(Type.Unsafe<Static<typeof content>>(content)),
  call_id: absentOr(text("The call of a function.")),
  name: absentOr(text("The function.")),
  arguments: absentOr(text("The arguments of the call, as JSON.")),
  output: absentOr(Type.Unsafe<Static<typeof content>>(content)),
  approval_request_id: absentOr(text("The approval to decide.")),
  approve: absentOr(Type.Boolean({ description: "The decision." })),
  reason: absentOr(text("The reason of the decision, for the model.", { maxLength: 2_000 })),
});

export const responseInput = Type.Union([Type.String(), list("Items.", item, { minItems: 1, maxItems })], {
  description: "A message, or items of the conversation.",
});

type InputItem = Static<typeof item>;

/** The items of a request, without the client's instructions, and its decisions. Throws INVALID_REQUEST. */
export async function readInput(
  context: GatewayContext,
  input: Static<typeof responseInput>,
): Promise<{ items: Item[]; decisions: Decision[] }> {
  const given: InputItem[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const items: Item[] = [];
  const decisions: Decision[] = [];
  for (const [index, item] of given.entries()) {
    const path = `input.${index}`;
    if (item.type === "mcp_approval_response") decisions.push(decisionOf(item, path));
    else items.push(...(await itemsOf(context, item, path)));
  }
  return { items, decisions };
}

function decisionOf({ approval_request_id, approve, reason }: InputItem, path: string): Decision {
  const id = required(approval_request_id, `${path}.approval_request_id`);
  const isApproved = required(approve, `${path}.approve`);
  return { id, decision: isApproved ? "approve" : "deny", message: reason ?? "" };
}

/** None for an item that only repeats what the session contains. */
async function itemsOf(context: GatewayContext, item: InputItem, path: string): Promise<Item[]> {
  switch (item.type ?? "message") {
    case "message": {
      const { role } = item;
      if (role === "system" || role === "developer") return [];
      if (role !== "user" && role !== "assistant")
        throw invalid(`${path}.role`, "must be user, assistant, system or developer");
      const { text, files } = await contentOf(context, item.content, `${path}.content`);
      return [role === "user" ? { type: role, path, text, files } : { type: role, path, text }];
    }
    case "function_call": {
      const id = required(item.call_id, `${path}.call_id`);
      const name = required(item.name, `${path}.name`);
      return [{ type: "call", path, id, name, arguments: required(item.arguments, `${path}.arguments`) }];
    }
    case "function_call_output": {
      const { text: output } = await contentOf(context, item.output, `${path}.output`);
      const idPath = `${path}.call_id`;
      return [{ type: "result", path: idPath, callId: required(item.call_id, idPath), output }];
    }
    case "reasoning":
    case "mcp_approval_request":
      return [];
    default:
      throw invalid(`${path}.type`, "is not supported; send messages, function calls and their outputs");
  }
}

async function contentOf(context: GatewayContext, content: InputItem["content"], path: string) {
  const parts = required(content, path);
  if (typeof parts === "string") return { text: parts, files: [] };
  const texts: string[] = [];
  const files: SentFile[] = [];
  for (const [index, { type, text, image_url, file_url, filename }] of parts.entries()) {
    const at = `${path}.${index}`;
    const url = type === "input_file" ? file_url : type === "input_image" && image_url;
    if (typeof text === "string") texts.push(text);
    else if (url) files.push(await sentFile(context, { url, filename: filename ?? undefined, path: at }));
    else throw invalid(at, "must be a text, an image_url or a file_url");
  }
  return { text: texts.join("\n\n"), files };
}
