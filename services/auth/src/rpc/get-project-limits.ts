import { create } from "@bufbuild/protobuf";
import {
  type GetProjectLimitsRequest,
  type GetProjectLimitsResponse,
  GetProjectLimitsResponseSchema,
} from "@muster/proto/auth";
import { callerOf, forbidden, isPlatform } from "@muster/rpc";
import type { Handler } from "./handler.ts";

export const getProjectLimits: Handler<GetProjectLimitsRequest, GetProjectLimitsResponse> = async (
  context,
  { projectId },
  call,
) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself reads limits.");
  const project = await context.projects.find(projectId);
  return create(GetProjectLimitsResponseSchema, { limits: { ...project?.limits } });
};
