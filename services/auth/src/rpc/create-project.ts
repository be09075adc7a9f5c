import { create } from "@bufbuild/protobuf";
import { CreateProjectResponseSchema } from "@muster/proto/auth";
import { adminOf, forbidden, Issues } from "@muster/rpc";
import { checkName } from "../fields.ts";
import { isStillUsable } from "../store/documents.ts";
import { unauthenticated } from "./authenticate.ts";
import type { Handler } from "./handler.ts";
import { toProject } from "./messages.ts";
import { readProjectLimits } from "./update-project.ts";

export const createProject: Handler<"createProject"> = async (context, request, call) => {
  const caller = adminOf(call);
  if (!caller.anyProject) {
    throw forbidden("Only a key that may act in any project can create one.");
  }
  const issues = new Issues();
  checkName(issues, request.name);
  const limits = request.limits && readProjectLimits(issues, request.limits);
  issues.refuse();
  const nowMs = context.clock.now();
  // Looked up again, as for keys: the caller was authenticated up to some seconds ago.
  if (!isStillUsable(await context.keys.find(caller.keyId), caller, nowMs)) throw unauthenticated();
  const _id = context.newId("prj");
  const after = { name: request.name, ...(limits && { limits }) };
  const project = {
    _id,
    name: request.name,
    createdAt: new Date(nowMs),
    ...(limits && { limits }),
    audit: [context.auditEntry(call, "project.create", { projectId: _id, target: _id, after })],
  };
  await context.projects.insert(project);
  return create(CreateProjectResponseSchema, { project: toProject(project) });
};
