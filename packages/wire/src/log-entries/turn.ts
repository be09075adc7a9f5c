import { eventSchemas } from "../events/index.ts";
import { flag, json, oneOf, optional, text } from "../schema/index.ts";
import { entry } from "./fields.ts";

const { errorType, source, provider, tool } = eventSchemas.error.properties;

/** The entries that begin, shape and end a turn. */
export const turnEntries = {
  trigger: entry(
    "trigger",
    "A turn starts, or continues with tool results.",
    {
      triggerName: text("The trigger; empty for a worker."),
      input: optional(json("Its input, an object. Absent if the turn continues.")),
      isContinuation: flag("True if the turn continues with tool results."),
    },
    { triggerName: "user-message", input: { USER_MESSAGE: "Where is my order?" }, isContinuation: false },
  ),
  message: entry(
    "message",
    "A block has added a message to the conversation.",
    {
      messageId: text("The id of the message."),
      role: oneOf("Who speaks.", ["user", "assistant", "system"]),
      text: text("Its text."),
      isVisible: flag("False if only the model reads it."),
    },
    {
      blockName: "Add the question",
      messageId: "msg_0mJ4c2Vd8hQx",
      role: "user",
      text: "Where is my order?",
      isVisible: true,
    },
  ),
  "thread-created": entry(
    "thread-created",
    "A named thread has been configured; if it existed before, its messages stay.",
    {},
    { thread: "research", blockName: "Start the research" },
  ),
  "block-operation": entry(
    "block-operation",
    "A block starts, or continues after tool results.",
    { blockId: text("The id of this run of the block."), blockType: text("The kind of block.") },
    { blockName: "Respond", blockId: "blk_0mJ4c2Vd8hQx", blockType: "next-message" },
  ),
  "worker-execution": entry(
    "worker-execution",
    "A worker starts.",
    { workerSlug: text("The worker's slug."), input: optional(json("Its input, an object.")) },
    { workerId: "run_0mJ4c2Vd8hQx", workerSlug: "research", input: { TOPIC: "owls" } },
  ),
  "worker-output": entry(
    "worker-output",
    "A worker has ended.",
    {
      output: optional(json("Its output; absent if it declares none.")),
      error: optional(text("Why it failed.")),
    },
    { workerId: "run_0mJ4c2Vd8hQx", output: "Owls fly by night." },
  ),
  abort: entry(
    "abort",
    "The turn was stopped before it ended.",
    {
      cause: oneOf(
        "`disconnected`: the reader left. `cancelled`: by a request. `cleared`: the session was cleared. `lost`: another instance took over. `store-down`: the store did not respond. `storage-full`: its disk was full. `too-large`: the session became too large. `stopping`: the service stopped. `adopted-too-often`: the processes that ran it died one after another. `spending-limit`, `usage-limit`: the dollars or tokens of the month were used, or the dollars of the execution.",
        [
          "disconnected",
          "cancelled",
          "cleared",
          "lost",
          "store-down",
          "storage-full",
          "too-large",
          "stopping",
          "adopted-too-often",
          "spending-limit",
          "usage-limit",
        ],
      ),
    },
    { cause: "cancelled" },
  ),
  error: entry(
    "error",
    "A failure: of a model call, of a block or of the turn; or a problem that the turn survives.",
    {
      errorType,
      message: text("What failed, as in the `error` event."),
      source,
      retryable: flag("True if the same request may succeed later."),
      code: optional(text("The code, if it has one.")),
      provider: optional(provider),
      tool: optional(tool),
      isHandled: flag("True if the turn continues nevertheless."),
    },
    {
      errorType: "provider_overloaded",
      message: "The model provider is overloaded. Try again.",
      source: "provider",
      retryable: true,
      isHandled: false,
    },
  ),
};
