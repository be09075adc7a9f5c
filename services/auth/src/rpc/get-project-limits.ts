import { create } from "@bufbuild/protobuf";
import { GetProjectLimitsResponseSchema } from "@muster/proto/auth";
import { callerOf, forbidden, isPlatform, isWorkforce } from "@muster/rpc";
import type { Handler } from "./handler.ts";
import { toLimits } from "./messages.ts";

export const getProjectLimits: Handler<"getProjectLimits"> = async (context, { projectId }, call) => {
  const caller = callerOf(call);
  const isOwn = isWorkforce(caller) && caller.projectId === projectId;
  if (!isPlatform(caller) && !isOwn) throw forbidden("Only the platform itself reads limits.");
  const project = await context.projects.find(projectId);
  return create(GetProjectLimitsResponseSchema, { limits: toLimits(project?.limits) });
};
