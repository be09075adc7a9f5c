import { create } from "@bufbuild/protobuf";
import {
  type CreateProjectRequest,
  type CreateProjectResponse,
  CreateProjectResponseSchema,
} from "@muster/proto/auth";
import { forbidden, Issues } from "@muster/rpc";
import { checkName } from "../fields.ts";
import { adminOf } from "./callers.ts";
import type { Handler } from "./handler.ts";
import { toProject } from "./messages.ts";

export const createProject: Handler<CreateProjectRequest, CreateProjectResponse> = async (
  context,
  request,
  call,
) => {
  const caller = adminOf(call);
  if (!caller.anyProject) {
    throw forbidden("Only a key that may act in any project can create one.");
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
