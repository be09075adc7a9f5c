import { flag, text } from "@muster/wire/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { relay } from "../../streams/relay.ts";
import { type Decision, decide } from "../chat-turn.ts";
import { messageToKeep } from "../message-to-keep.ts";
import { agentOfModel } from "../openai/agent-of-model.ts";
import { answerCollected, answerSoFar } from "../openai/answer-collected.ts";
import { requestIn } from "../openai/conversation.ts";
import { openAiErrors } from "../openai/error-body.ts";
import { bodyLimitBytes, openTurn, turnErrors, type Wanted } from "../openai/open-turn.ts";
import { invalid, type NeutralValues, refuseParameters, required } from "../openai/refusals.ts";
import { absentOr, functionFields, openBody, toTool, turnFields } from "../openai/request-schemas.ts";
import { partOf, type ResponsePlace, readResponseId } from "./response-id.ts";
import { readInput, responseInput } from "./response-input.ts";
import { ResponseWriter } from "./response-writer.ts";
import { responseReply } from "./stored-responses.ts";

const fields = turnFields(functionFields);

const example = { model: "muster/support-chat", input: "Hello" };

const createBody = openBody("CreateOpenAiResponseRequest", example, {
  ...fields,
  model: absentOr(fields.model),
  input: responseInput,
  previous_response_id: absentOr(text("The response that this one continues.", { maxLength: 1_000 })),
  background: absentOr(flag("Whether the turn keeps running without its reader. Default: false.")),
});

const neutral: NeutralValues = {
  conversation: [],
  context_management: [],
  max_tool_calls: [],
  prompt: [],
  text: [{ format: { type: "text" } }, {}],
  tool_choice: ["auto"],
  top_logprobs: [0],
  truncation: ["disabled", "auto"],
};

export const createResponse: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/v1/responses",
    bodyLimit: bodyLimitBytes,
    config: {
      produces: ["text/event-stream"],
      errors: [...turnErrors, "APPROVAL_DECIDED", "APPROVAL_EXPIRED", "EVENTS_GONE"],
      ...openAiErrors,
    },
    schema: {
      operationId: "createOpenAiResponse",
      tags: ["Dialects"],
      summary: "Create a response, as the OpenAI API does",
      description:
        "The model is an agent, `muster/<slug>`. With `previous_response_id`, the turn follows that response in its session; otherwise, the input is the whole conversation, of a new session.",
      body: createBody,
      response: { 200: responseReply },
    },
    handler: async (request, reply) => {
      const { body } = request;
      refuseParameters(body, neutral);
      const previous = body.previous_response_id ? readResponseId(body.previous_response_id) : undefined;
      const model = modelFor(body.model, previous);
      const background = body.background ?? false;
      const { items, decisions } = await readInput(context, body.input);
      const turn = {
        ...{ model, isDetached: background, tools: (body.tools ?? []).map(toTool) },
        sessionId: previous?.sessionId ?? body.metadata?.session_id,
      };
      const { open, place } =
        decisions.length === 0
          ? await begun(context, reply, { ...turn, request: requestIn(items, "input") }, previous)
          : await decided(context, request, decisions, previous);
      const writer = new ResponseWriter({ ...place, model, background });
      if (body.stream) await relay(context.streams, reply, open, { encoding: writer });
      else if (background) await answerSoFar(context, reply, open, writer, { enough: 1 });
      else await answerCollected(context, reply, open, writer);
      return reply;
    },
  });

/** The model that a request names, or else that of the previous response. Both must be the same agent. */
function modelFor(named: string | null | undefined, previous: ResponsePlace | undefined): string {
  const model = required(named ?? previous?.model, "model", "is required without previous_response_id");
  const { agentSlug } = agentOfModel(model);
  if (previous !== undefined && agentOfModel(previous.model).agentSlug !== agentSlug)
    throw invalid("model", "must name the agent of the previous response, or be absent");
  return model;
}

/** A turn that a message begins, or that the results of calls continue. */
async function begun(context: GatewayContext, reply: FastifyReply, turn: Wanted, previous?: ResponsePlace) {
  const earlier = "earlier" in turn.request ? turn.request.earlier : undefined;
  if (previous !== undefined && earlier?.length)
    throw invalid("input", "must contain only new messages of the user, after previous_response_id");
  const rollbackAfterMessageId = previous && earlier && (await messageToKeep(context, reply, previous));
  const { sessionId, open } = await openTurn(context, reply.request, { ...turn, rollbackAfterMessageId });
  const lastMessageId = earlier === undefined ? previous?.lastMessageId : undefined;
  const part = partOf(turn.request);
  return { open, place: { sessionId, executionId: "", messageId: "", lastMessageId, part } };
}

/** The rest of a turn that waits for exactly these decisions. */
async function decided(
  context: GatewayContext,
  request: FastifyRequest,
  decisions: readonly Decision[],
  previous: ResponsePlace | undefined,
) {
  const place = required(previous, "previous_response_id", "is required for decisions about its approvals");
  const pending = { sessionId: place.sessionId, status: "pending", limit: 100 };
  const { approvals } = await context.sessions.listApprovals(pending, callFor(context, request));
  const open = approvals.filter(({ executionId }) => executionId === place.executionId).map(({ id }) => id);
  const missing = open.filter((id) => decisions.every((decision) => decision.id !== id));
  // Repeated decisions are about none of those that the turn asks for since.
  if (missing.length > 0 && missing.length < open.length)
    throw invalid("input", `must also decide ${missing.join(", ")}`);
  const part = decisions[0]?.id ?? "";
  return { open: await decide(context, request, place, decisions), place: { ...place, part } };
}
