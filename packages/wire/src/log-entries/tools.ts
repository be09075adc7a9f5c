import { integer, json, oneOf, optional, text } from "../schema/index.ts";
import { entry } from "./fields.ts";

const call = {
  toolCallId: text("The id of the call."),
  toolName: text("The name of the tool."),
};

/** Tool calls that are carried out, and their outcomes. */
export const toolEntries = {
  "tool-call": entry(
    "tool-call",
    "A tool is called.",
    {
      ...call,
      args: json("The arguments."),
      source: oneOf("Whether the model or a block made the call.", ["llm", "block"]),
      executor: oneOf(
        "Who carries it out: the caller of the trigger, the platform, or the provider of the model.",
        ["caller", "platform", "provider"],
      ),
    },
    {
      blockName: "Respond",
      toolCallId: "call_1",
      toolName: "find-order",
      args: { id: 7 },
      source: "llm",
      executor: "caller",
    },
  ),
  approval: entry(
    "approval",
    "A tool call waits for a user's decision, or has it.",
    {
      ...call,
      approvalId: text("The id of the approval."),
      status: oneOf("`pending`: it waits from now on.", ["pending", "approved", "denied", "expired"]),
      decidedBy: optional(text("The principal that decided.")),
      message: optional(text("The words of the user who decided.")),
      args: optional(json("The arguments that the user has put in the place of the model's.")),
    },
    {
      blockName: "Respond",
      toolCallId: "call_1",
      toolName: "refund",
      approvalId: "apr_2bVt7Yp0QwLx",
      status: "approved",
    },
  ),
  "tool-output-bounded": entry(
    "tool-output-bounded",
    "A result is longer than the thread's `maxToolOutputTokens`: its models read only the head and the tail.",
    {
      ...call,
      characters: integer("The length of the whole result, which the session keeps."),
      keptCharacters: integer("The length of what models read, with the note about what is left out."),
    },
    {
      blockName: "Respond",
      toolCallId: "call_1",
      toolName: "find-order",
      characters: 120_000,
      keptCharacters: 8_036,
    },
  ),
  "tool-result": entry(
    "tool-result",
    "A tool call has an outcome.",
    {
      ...call,
      status: oneOf("`cancelled`: the caller sent no result.", ["done", "error", "cancelled"]),
      result: optional(json("The result of a call that is done.")),
      error: optional(text("Why the call failed.")),
    },
    {
      blockName: "Respond",
      toolCallId: "call_1",
      toolName: "find-order",
      status: "done",
      result: { arrives: "Monday" },
    },
  ),
};
