import { list, type Static, Type, text } from "@muster/wire/schema";
import type { GatewayContext } from "../../context.ts";
import { openObject } from "../../schemas/common.ts";
import type { Decision } from "../chat-turn.ts";
import type { Item } from "../openai/conversation.ts";
import { contentOf, fileUrl, readContent } from "../openai/message-content.ts";
import { invalid, required } from "../openai/refusals.ts";
import { absentOr, maxItems } from "../openai/request-schemas.ts";

const content = contentOf("`input_text`, `output_text`, `input_image` or `input_file`.", {
  image_url: absentOr(fileUrl),
  file_url: absentOr(fileUrl),
  filename: absentOr(text("The name of the file.", { minLength: 1, maxLength: 255 })),
});

const item = openObject("An item of the conversation.", {
  type: absentOr(text("The kind of item. Absent: a message.")),
  role: absentOr(text("Who wrote the message.")),
  content,
  call_id: absentOr(text("The call of a function.")),
  name: absentOr(text("The function.")),
  arguments: absentOr(text("The arguments of the call, as JSON.")),
  output: content,
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
  if (items.length > 0 && decisions.length > 0)
    throw invalid("input", "must not combine decisions with other items");
  return { items, decisions };
}

function decisionOf({ approval_request_id, approve, reason }: InputItem, path: string): Decision {
  const id = required(approval_request_id, `${path}.approval_request_id`);
  const isApproved = required(approve, `${path}.approve`);
  return { id, decision: isApproved ? "approve" : "deny", message: reason ?? "" };
}

/** None for an item that only repeats what the session contains. */
async function itemsOf(context: GatewayContext, item: InputItem, path: string): Promise<Item[]> {
  const read = (name: "content" | "output") =>
    readContent(context, required(item[name], `${path}.${name}`), `${path}.${name}`, (part) => ({
      url: part.file_url ?? part.image_url,
      filename: part.filename,
    }));
  switch (item.type ?? "message") {
    case "message": {
      const { role } = item;
      if (role === "system" || role === "developer") return [];
      if (role !== "user" && role !== "assistant")
        throw invalid(`${path}.role`, "must be user, assistant, system or developer");
      return [{ type: role, path, ...(await read("content")) }];
    }
    case "function_call": {
      const id = required(item.call_id, `${path}.call_id`);
      const name = required(item.name, `${path}.name`);
      return [{ type: "call", path, id, name, arguments: required(item.arguments, `${path}.arguments`) }];
    }
    case "function_call_output": {
      const { text: output, files } = await read("output");
      if (files.length > 0) throw invalid(`${path}.output`, "must be a text: tools return no files");
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
