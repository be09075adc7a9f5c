import { json, object, optional, Type, text } from "@muster/wire/schema";
import { body, segmentOf, timeOf } from "./common.ts";
import { answerToolCallExample } from "./examples.ts";

export const answerParams = Type.Object({
  callId: segmentOf("The `callId` of the call that your service has accepted."),
});

/** One that is missing is as wrong as a wrong one. */
export const answerHeaders = Type.Object({
  "webhook-id": optional(text("`result_` and the `callId`.")),
  "webhook-timestamp": optional(text("Seconds since 1970. At most 5 minutes off.")),
  "webhook-signature": optional(text("`v1,` and the signature in base64; several are separated by spaces.")),
});

export const answerToolCallBody = body(
  "AnswerToolCallRequest",
  "The outcome: either `result` or `error`. At most 1 MiB.",
  answerToolCallExample,
  {
    result: optional(json("The result of the call: any JSON.")),
    error: optional(text("Why the call failed, in words for the model.", { minLength: 1, maxLength: 2_000 })),
  },
);

export const answerReply = object("AnsweredToolCall", "The call has this result now.", {
  callId: text("The call."),
  answeredAt: timeOf("When its result arrived."),
});
