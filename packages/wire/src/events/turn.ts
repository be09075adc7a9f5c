import { publicCodes, streamErrorTypes } from "../error-codes/index.ts";
import {
  count,
  flag,
  inline,
  integer,
  json,
  list,
  object,
  oneOf,
  optional,
  Type,
  text,
} from "../schema/index.ts";
import { event } from "./fields.ts";

const requestedCall = object("RequestedToolCall", "A tool call that the caller executes.", {
  toolCallId: text("The id to return the result with."),
  toolName: text("The tool's name."),
  args: json("The arguments, an object."),
  source: optional(oneOf("Whether the model or a block of the handler made the call.", ["llm", "block"])),
  thread: optional(text("The named thread of the call.")),
  workerId: optional(text("The worker that made the call.")),
});

const requestedApproval = object("RequestedApproval", "A tool call that waits for a user's decision.", {
  approvalId: text("The id to decide it by."),
  toolCallId: text("The id of the call."),
  toolName: text("The tool's name."),
  args: json("The arguments, an object; empty if the call's display hides them."),
  title: optional(text("The call in the words of the definition.")),
  expiresAt: text("When it can no longer be decided, in ISO 8601.", { format: "date-time" }),
});

const approvals = list("The calls that wait, including hidden ones.", requestedApproval);

const openCall = object("OpenToolCall", "A tool call that a service has accepted and will answer.", {
  callId: text("The id by which the service answers it."),
  toolCallId: text("The id of the call."),
  toolName: text("The tool's name."),
  expiresAt: text("When it can no longer be answered, in ISO 8601.", { format: "date-time" }),
});

const provider = inline("The provider that failed.", {
  name: text("The provider's name."),
  model: optional(text("The model that was called.")),
  statusCode: optional(integer("The HTTP status of the provider's response.")),
  errorType: optional(text("The provider's own name for the error.")),
  requestId: optional(text("The provider's id of the request.")),
});

const tool = inline("The tool that failed.", {
  name: text("The tool's name."),
  callId: optional(text("The id of the call.")),
});

const fee = (description: string) => Type.Number({ minimum: 0, description });
const tokens = (description: string) => count(description);

/** Events about the turn as a whole. */
export const turnEvents = {
  start: event("start", "The first event of every stream.", {
    messageId: text("The id of the assistant message that the turn writes."),
    executionId: text("The id of the execution, for a continuation."),
    lastMessageId: optional(text("The last message before this turn, for a rollback to it.")),
    sessionId: optional(text("The session, if this request created it.")),
  }),
  finish: event("finish", "The turn has ended, or waits for tool results, for decisions or for services.", {
    finishReason: oneOf("Why the turn ended. `tool-calls`: it continues once the caller sends the results.", [
      "stop",
      "tool-calls",
      "client-tool-calls",
      "length",
      "content-filter",
      "error",
      "other",
    ]),
    executionId: optional(text("The execution to continue.")),
    approvals: optional(approvals),
    openCalls: optional(list("The calls whose results services will send, including hidden ones.", openCall)),
  }),
  "approval-request": event(
    "approval-request",
    "The turn waits for a user's decision about these calls, and continues by itself once all are decided. `finish` follows.",
    { approvals },
  ),
  error: event("error", "The turn has failed. Only `[DONE]` follows.", {
    errorType: oneOf("The kind of failure.", [...streamErrorTypes]),
    message: text("One sentence for users."),
    source: oneOf("What failed.", ["platform", "provider", "tool", "client"]),
    retryable: flag("Whether the same request can succeed later."),
    retryAfter: optional(Type.Number({ minimum: 0, description: "How long to wait, in seconds." })),
    code: optional(oneOf("The error code of the HTTP API for the same failure.", [...publicCodes])),
    provider: optional(provider),
    tool: optional(tool),
    lastSequence: optional(
      count(
        "Only if the response ended early and the turn may continue: the number of the turn's last event in this response, to continue after.",
      ),
    ),
  }),
  persisted: event("persisted", "Everything up to `sequence` survives a crash of the server.", {
    messageId: text("The assistant message."),
    sequence: integer("The number of the last stored event; the first is 1.", { minimum: 1 }),
    workerId: optional(text("The worker whose state was stored.")),
  }),
  "tool-request": event("tool-request", "The turn waits for results of these calls. `finish` follows.", {
    toolCalls: list("The calls to execute, including hidden ones.", requestedCall),
  }),
  usage: event(
    "usage",
    'What the execution has used so far, including earlier requests. Follows the `finish` that ends a worker, or a trigger with `"usage": true`; a pause has none.',
    {
      cost: inline("The cost of the model calls.", {
        currency: Type.Literal("USD", { description: "The currency of all fees." }),
        providerFee: fee("The price of the model calls."),
        bandwidthFee: fee("The platform's own fee."),
        totalFee: fee("The sum of both fees."),
        byok: flag("True if all model calls used the project's own keys."),
      }),
      tokens: inline("The tokens of the model calls.", {
        inputTokens: tokens("Tokens sent to models."),
        outputTokens: tokens("Tokens written by models."),
        totalTokens: tokens("The sum of both."),
      }),
    },
  ),
};
