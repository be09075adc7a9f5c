import { flag, integer, list, object, optional, Type, text } from "@muster/wire/schema";
import type { AddRoute } from "../../context.ts";
import { documentOrEvents, openObject, openObjectOf } from "../../schemas/common.ts";
import { relay } from "../../streams/relay.ts";
import { answerCollected } from "../openai/answer-collected.ts";
import { requestIn } from "../openai/conversation.ts";
import { openAiErrors } from "../openai/error-body.ts";
import { bodyLimitBytes, openTurn, turnErrors } from "../openai/open-turn.ts";
import { type NeutralValues, refuseParameters } from "../openai/refusals.ts";
import { absentOr, functionFields, openBody, toTool, turnFields } from "../openai/request-schemas.ts";
import { chatMessages, itemsOfMessages } from "./chat-messages.ts";
import { Completion } from "./completion.ts";

const example = { model: "muster/support-chat", messages: [{ role: "user", content: "Hello" }] };

const chatBody = openBody("CreateChatCompletionRequest", example, {
  ...turnFields({ function: openObject("The function.", functionFields) }),
  messages: chatMessages,
  stream_options: absentOr(
    openObject("Options of the stream.", {
      include_usage: absentOr(flag("Whether the last chunk has the usage.")),
    }),
  ),
});

const completion = object("ChatCompletion", "The completion.", {
  id: text("The id of the completion."),
  object: Type.Literal("chat.completion", { description: "The kind of document." }),
  created: integer("When the turn began, in seconds since 1970."),
  model: text("As in the request."),
  choices: list("Exactly one.", openObjectOf("The message and the reason of its end.")),
  usage: optional(openObjectOf("The tokens.")),
});

const neutral: NeutralValues = {
  n: [1],
  logprobs: [false],
  top_logprobs: [0],
  stop: [[]],
  modalities: [["text"]],
  audio: [],
  prediction: [],
  web_search_options: [],
  functions: [[]],
  function_call: ["auto"],
  tool_choice: ["auto"],
  response_format: [{ type: "text" }],
};

export const createChatCompletion: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/v1/chat/completions",
    bodyLimit: bodyLimitBytes,
    config: { produces: ["text/event-stream"], errors: turnErrors, ...openAiErrors },
    schema: {
      operationId: "createChatCompletion",
      tags: ["Dialects"],
      summary: "Complete a chat, as the OpenAI API does",
      description:
        "The model is an agent, `muster/<slug>`. Without `metadata.session_id`, the messages are the whole conversation, of a new session.",
      body: chatBody,
      response: {
        200: documentOrEvents("The completion, or server-sent events with its chunks.", completion),
      },
    },
    handler: async (request, reply) => {
      const { model, messages, metadata, tools, stream, stream_options: streaming } = request.body;
      refuseParameters(request.body, neutral);
      const { sessionId, open } = await openTurn(context, request, {
        model,
        request: requestIn(await itemsOfMessages(context, messages), "messages"),
        sessionId: metadata?.session_id,
        tools: (tools ?? []).map((each) => toTool(each.function)),
      });
      const written = new Completion({
        ...{ model, sessionId },
        includesUsage: streaming?.include_usage ?? false,
      });
      if (stream) await relay(context.streams, reply, open, { encoding: written });
      else await answerCollected(context, reply, open, written);
      return reply;
    },
  });
