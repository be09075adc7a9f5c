import { publicCodes, streamErrorTypes } from "../error-codes/index.ts";
import { Type } from "../schema/index.ts";
import { event, json, optional, text } from "./fields.ts";

const requestedCall = Type.Object(
  {
    toolCallId: text("The id to return the result with."),
    toolName: text("The tool's name."),
    args: json("The arguments, an object."),
    source: optional(
      Type.Enum(["llm", "block"], {
        description: "Whether the model or a block of the handler made the call.",
      }),
    ),
    thread: optional(text("The named thread of the call.")),
    workerId: optional(text("The worker that made the call.")),
  },
  { title: "RequestedToolCall", description: "A tool call that the caller executes." },
);

const provider = Type.Object(
  {
    name: text("The provider's name."),
    model: optional(text("The model that was called.")),
    statusCode: optional(Type.Integer({ description: "The HTTP status of the provider's response." })),
    errorType: optional(text("The provider's own name for the error.")),
    requestId: optional(text("The provider's id of the request.")),
  },
  { description: "The provider that failed." },
);

const tool = Type.Object(
  { name: text("The tool's name."), callId: optional(text("The id of the call.")) },
  { description: "The tool that failed." },
);

const fee = (description: string) => Type.Number({ minimum: 0, description });
const tokens = (description: string) => Type.Integer({ minimum: 0, description });

/** Events about the turn as a whole. */
export const turnEvents = {
  start: event("start", "The first event of every stream.", {
    messageId: text("The id of the assistant message that the turn writes."),
    executionId: text("The id of the execution, for a continuation."),
    lastMessageId: optional(text("The last message before this turn, for a rollback to it.")),
    sessionId: optional(text("The session, if this request created it.")),
  }),
  finish: event("finish", "The turn has ended, or waits for tool results.", {
    finishReason: Type.Enum(
      ["stop", "tool-calls", "client-tool-calls", "length", "content-filter", "error", "other"],
      { description: "Why the turn ended. `tool-calls`: it continues once the caller sends the results." },
    ),
    executionId: optional(text("The execution to continue.")),
  }),
  error: event("error", "The turn has failed. Only `[DONE]` follows.", {
    errorType: Type.Enum([...streamErrorTypes], { description: "The kind of failure." }),
    message: text("One sentence for users."),
    source: Type.Enum(["platform", "provider", "tool", "client"], { description: "What failed." }),
    retryable: Type.Boolean({ description: "Whether the same request can succeed later." }),
    retryAfter: optional(Type.Number({ minimum: 0, description: "How long to wait, in seconds." })),
    code: optional(
      Type.Enum([...publicCodes], { description: "The error code of the HTTP API for the same failure." }),
    ),
    provider: optional(provider),
    tool: optional(tool),
    lastSequence: optional(
      Type.Integer({
        minimum: 0,
        description:
          "Only if the response ended early and the turn may continue: the number of the turn's last event in this response, to continue after.",
      }),
    ),
  }),
  persisted: event("persisted", "Everything up to `sequence` survives a crash of the server.", {
    messageId: text("The assistant message."),
    sequence: Type.Integer({
      minimum: 1,
      description: "The number of the last stored event; the first is 1.",
    }),
    workerId: optional(text("The worker whose state was stored.")),
  }),
  "tool-request": event("tool-request", "The turn waits for results of these calls. `finish` follows.", {
    toolCalls: Type.Array(requestedCall, { description: "The calls to execute, including hidden ones." }),
  }),
  usage: event(
    "usage",
    'What the execution has used so far, including earlier requests. Follows the `finish` that ends a worker, or a trigger with `"usage": true`; a pause has none.',
    {
      cost: Type.Object(
        {
          currency: Type.Literal("USD", { description: "The currency of all fees." }),
          providerFee: fee("The price of the model calls."),
          bandwidthFee: fee("The platform's own fee."),
          totalFee: fee("The sum of both fees."),
          byok: Type.Boolean({ description: "True if all model calls used the project's own keys." }),
        },
        { description: "The cost of the model calls." },
      ),
      tokens: Type.Object(
        {
          inputTokens: tokens("Tokens sent to models."),
          outputTokens: tokens("Tokens written by models."),
          totalTokens: tokens("The sum of both."),
        },
        { description: "The tokens of the model calls." },
      ),
    },
  ),
};
