import { flag, Type, text } from "@muster/wire/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { Batch } from "../../streams/event-stream.ts";
import { hold, type OpenSource, relay } from "../../streams/relay.ts";
import { agentOfModel } from "../openai/agent-of-model.ts";
import { answerCollected } from "../openai/answer-collected.ts";
import { type Item, requestIn } from "../openai/conversation.ts";
import { errorBody, errorSchema } from "../openai/error-body.ts";
import { openTurn, turnErrors, type Wanted } from "../openai/open-turn.ts";
import { invalid, type NeutralValues, refuseParameters } from "../openai/refusals.ts";
import {
  absentOr,
  bodyLimitBytes,
  functionFields,
  openBody,
  openObject,
  toolsOf,
  toTool,
  turnFields,
} from "../openai/request-schemas.ts";
import { answerWith, followResponse } from "./follow-response.ts";
import { messageToKeep } from "./message-to-keep.ts";
import { partAfter, type ResponsePlace, readResponseId } from "./response-id.ts";
import { type Decision, readInput, responseInput } from "./response-input.ts";
import { responseReply } from "./response-reply.ts";
import { ResponseWriter, type WriterOptions } from "./response-writer.ts";

const tool = openObject("A tool.", {
  type: Type.Literal("function", { description: "No other tools are known." }),
  ...functionFields,
});

const example = { model: "muster/support-chat", input: "Hello" };

const responseBody = openBody("CreateOpenAiResponseRequest", example, {
  ...turnFields,
  model: absentOr(turnFields.model),
  input: responseInput,
  previous_response_id: absentOr(text("The response that this one continues.", { maxLength: 1_000 })),
  background: absentOr(flag("Whether the turn keeps running without its reader. Default: false.")),
  tools: toolsOf(tool),
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
      errorBody,
      errorSchema,
    },
    schema: {
      operationId: "createOpenAiResponse",
      tags: ["Dialects"],
      summary: "Create a response, as the OpenAI API does",
      description:
        "The model is an agent, `muster/<slug>`. With `previous_response_id`, the turn follows that response in its session; otherwise, the input is the whole conversation, of a new session.",
      body: responseBody,
      response: { 200: responseReply },
    },
    handler: async (request, reply) => {
      const { body } = request;
      refuseParameters(body, neutral);
      const previous = body.previous_response_id ? readResponseId(body.previous_response_id) : undefined;
      const model = body.model ?? previous?.model;
      if (model === undefined) throw invalid("model", "is required without previous_response_id");
      const { agentSlug } = agentOfModel(model);
      if (previous !== undefined && agentOfModel(previous.model).agentSlug !== agentSlug)
        throw invalid("model", "must name the agent of the previous response, or be absent");
      const background = body.background ?? false;
      const tools = (body.tools ?? []).map(toTool);
      const { items, decisions } = await readInput(context, body.input);
      const opened =
        decisions.length > 0
          ? await decidedBy(context, reply, { previous, items, decisions })
          : await begun(context, reply, {
              previous,
              items,
              model,
              tools,
              sessionId: body.metadata?.session_id,
              background,
            });
      if (opened === undefined) return reply;
      const { open, place } = opened;
      const writer = new ResponseWriter({ place: { ...place, model, background } });
      if (body.stream) await relay(context.streams, reply, open, { encoding: writer });
      else if (background)
        await answerWith(context, reply, open, writer, { isEnough: (sequence) => sequence > 0 });
      else await answerCollected(context, reply, open, writer);
      return reply;
    },
  });

/** The states of approvals after decisions. */
const decided = { approve: "approved", deny: "denied" };

interface Opened {
  open: OpenSource<Batch>;
  place: Omit<WriterOptions["place"], "model" | "background">;
}

interface Asked extends Pick<Wanted, "model" | "tools" | "sessionId"> {
  previous: ResponsePlace | undefined;
  items: readonly Item[];
  background: boolean;
}

/** A turn that a message begins, or that the results of calls continue. */
async function begun(
  context: GatewayContext,
  reply: FastifyReply,
  { previous, items, background, ...asked }: Asked,
): Promise<Opened> {
  const wanted = requestIn(items, "input");
  const isContinued = "results" in wanted;
  if (previous !== undefined && !isContinued && wanted.earlier.length > 0)
    throw invalid("input", "must contain only new messages of the user, after previous_response_id");
  const rollbackAfterMessageId =
    previous === undefined || isContinued ? undefined : await messageToKeep(context, reply, previous);
  const { sessionId, open } = await openTurn(context, reply.request, {
    ...asked,
    request: wanted,
    sessionId: previous?.sessionId ?? asked.sessionId,
    rollbackAfterMessageId,
    isDetached: background,
  });
  if (!isContinued) return { open, place: { sessionId, part: "0", after: 0 } };
  const { lastMessageId } = previous ?? {};
  return {
    open,
    place: { sessionId, part: partAfter(wanted), after: 0, ...(lastMessageId && { lastMessageId }) },
  };
}

/** The rest of a turn that waits for exactly these decisions. Undefined: no reader is left. */
async function decidedBy(
  context: GatewayContext,
  reply: FastifyReply,
  {
    previous,
    items,
    decisions,
  }: { previous: ResponsePlace | undefined; items: readonly Item[]; decisions: readonly Decision[] },
): Promise<Opened | undefined> {
  const { request } = reply;
  if (previous === undefined)
    throw invalid("previous_response_id", "is required for decisions about its approvals");
  if (items.length > 0) throw invalid("input", "must not combine decisions with other items");
  const { sessionId, executionId } = previous;
  for (const { id, path, decision } of decisions) {
    const { approval } = await context.sessions.getApproval({ id }, callFor(context, request));
    if (approval?.executionId !== executionId) throw invalid(path, "must be an approval of that response");
    const { status } = approval;
    if (status === "expired")
      throw new HttpProblem("APPROVAL_EXPIRED", "The time for this decision is over.");
    if (status !== "pending" && status !== decided[decision])
      throw new HttpProblem("APPROVAL_DECIDED", `This approval is ${status}.`);
  }
  const pause = await hold(context.streams, reply, (signal) => pauseOf(context, request, previous, signal));
  if (pause === undefined) return undefined;
  const { after, asked } = pause;
  const pending = { sessionId, status: "pending", limit: 100 };
  const { approvals } = await context.sessions.listApprovals(pending, callFor(context, request));
  const open = approvals.map(({ id }) => id).filter((id) => asked.includes(JSON.stringify(id)));
  const missing = open.filter((id) => decisions.every((decision) => decision.id !== id));
  if (missing.length > 0) throw invalid("input", `must also decide ${missing.join(", ")}`);
  for (const { id, decision, message } of decisions)
    await context.sessions.decideApproval({ id, decision, message }, callFor(context, request));
  const place = { ...previous, after };
  return { open: followResponse(context, request, place), place };
}

/** The last event of a response that asks, and its questions. Throws APPROVAL_DECIDED if results have continued its turn. */
async function pauseOf(
  context: GatewayContext,
  request: FastifyRequest,
  place: ResponsePlace,
  signal: AbortSignal,
): Promise<{ after: number; asked: string }> {
  let { after } = place;
  let asked = "";
  for await (const { events } of followResponse(context, request, place)(signal)) {
    after = events.at(-1)?.sequence ?? after;
    for (const { type, json } of events) if (type === "approval-request") asked += json;
    if (asked === "" && events.some(({ type }) => type === "finish")) break;
  }
  if (asked === "") throw new HttpProblem("APPROVAL_DECIDED", "The turn has continued since.");
  return { after, asked };
}
