import { create } from "@bufbuild/protobuf";
import {
  type CreateProjectRequest,
  type CreateProjectResponse,
  CreateProjectResponseSchema,
} from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { Issues, rpcError } from "@muster/rpc";
import { checkName } from "../fields.ts";
import { adminOf } from "./admin.ts";
import type { Handler } from "./handler.ts";
import { toProject } from "./messages.ts";

export const createProject: Handler<CreateProjectRequest, CreateProjectResponse> = async (
  context,
  request,
  call,
) => {
  const caller = adminOf(call);
  if (!caller.anyProject) {
    throw rpcError(Reason.FORBIDDEN, "Making a project needs a key that may act in any project.");
  }
  const issues = new Issues();
  checkName(issues, request.name);
  issues.refuse();
  const project = {
    _id: context.newId("prj"),
    name: request.name,
    createdAt: new Date(context.clock.now()),
  };
  await context.projects.insert(project);
  return create(CreateProjectResponseSchema, { project: toProject(project) });
};
