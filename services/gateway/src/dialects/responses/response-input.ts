import { list, type Static, Type, text } from "@muster/wire/schema";
import type { GatewayContext } from "../../context.ts";
import type { Item } from "../openai/conversation.ts";
import { invalid } from "../openai/refusals.ts";
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

/** A decision about a call that waits for one. */
export interface Decision {
  path: string;
  id: string;
  decision: "approve" | "deny";
  message: string;
}

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
    switch (item.type ?? "message") {
      case "message":
        items.push(...(await messageOf(context, item, path)));
        break;
      case "function_call":
        items.push({
          ...{ type: "call", path, id: needed(item, "call_id", path) },
          ...{ name: needed(item, "name", path), arguments: needed(item, "arguments", path) },
        });
        break;
      case "function_call_output": {
        const { text: output } = await contentOf(context, item.output, `${path}.output`);
        items.push({
          type: "result",
          path: `${path}.call_id`,
          callId: needed(item, "call_id", path),
          output,
        });
        break;
      }
      case "mcp_approval_response":
        decisions.push(decisionOf(item, path));
        break;
      case "reasoning":
      case "mcp_approval_request":
        break;
      default:
        throw invalid(`${path}.type`, "is not supported; send messages, function calls and their outputs");
    }
  }
  return { items, decisions };
}

function needed(
  item: InputItem,
  name: "call_id" | "name" | "arguments" | "approval_request_id",
  path: string,
): string {
  const value = item[name];
  if (typeof value !== "string") throw invalid(`${path}.${name}`, "is required");
  return value;
}

function decisionOf(item: InputItem, path: string): Decision {
  if (typeof item.approve !== "boolean") throw invalid(`${path}.approve`, "is required");
  return {
    ...{ path: `${path}.approval_request_id`, id: needed(item, "approval_request_id", path) },
    ...{ decision: item.approve ? "approve" : "deny", message: item.reason ?? "" },
  };
}

async function messageOf(
  context: GatewayContext,
  { role, content }: InputItem,
  path: string,
): Promise<Item[]> {
  switch (role) {
    case "system":
    case "developer":
      return [];
    case "user":
      return [{ type: "user", path, ...(await contentOf(context, content, `${path}.content`)) }];
    case "assistant":
      return [{ type: "assistant", path, text: (await contentOf(context, content, `${path}.content`)).text }];
    default:
      throw invalid(`${path}.role`, "must be user, assistant, system or developer");
  }
}

async function contentOf(context: GatewayContext, content: InputItem["content"], path: string) {
  if (typeof content === "string") return { text: content, files: [] };
  if (!content) throw invalid(path, "is required");
  const texts: string[] = [];
  const files: SentFile[] = [];
  for (const [index, part] of content.entries()) {
    const url = part.type === "input_image" ? part.image_url : part.file_url;
    if (typeof part.text === "string") texts.push(part.text);
    else if ((part.type === "input_image" || part.type === "input_file") && typeof url === "string")
      files.push(
        await sentFile(context, { url, filename: part.filename ?? undefined, path: `${path}.${index}` }),
      );
    else throw invalid(`${path}.${index}`, "must be a text, an image_url or a file_url");
  }
  return { text: texts.join("\n\n"), files };
}
