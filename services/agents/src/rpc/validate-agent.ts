import { create } from "@bufbuild/protobuf";
import { ValidateAgentResponseSchema } from "@muster/proto/agents";
import { diagnose } from "../definition/diagnose.ts";
import { parseDefinition } from "../definition/draft.ts";
import { writerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";

export const validateAgent: Handler<"validateAgent"> = async (context, request, call) => {
  const { projectId } = writerOf(call);
  const draft = parseDefinition(request.definition);
  const mcpServers = request.mcpServers?.slugs;
  const { issues } = await diagnose(context, { projectId, signal: call.signal, mcpServers }, draft);
  return create(ValidateAgentResponseSchema, { issues });
};
