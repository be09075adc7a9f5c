import { hash } from "node:crypto";
import type { OwnAction } from "@muster/events/audit";
import type { User } from "@muster/proto/auth";
import { Issues, isPermission } from "@muster/rpc";
import { hashCredential, newCredential } from "@muster/service/credentials";
import type { AuthContext } from "../context.ts";
import { checkId, checkName } from "../fields.ts";
import type { ApiKeyDocument } from "../store/documents.ts";
import { unauthenticated } from "./authenticate.ts";
import { requireProject } from "./require-project.ts";

/**
 * The key whose logins a user has: limits, usage and the user's creations belong to it. Its secret is not kept. Deleting
 * it ends the logins; the identity provider decides who may log in after that.
 */
export async function keyOfUser(context: AuthContext, user: User, by: OwnAction): Promise<ApiKeyDocument> {
  const { projectId, ...granted } = parseUser(user);
  await requireProject(context, projectId);
  const _id = idOf(user);
  const known = await context.keys.find(_id);
  if (known === null) {
    const after = { ...granted, projectId };
    const key: ApiKeyDocument = {
      ...{ _id, projectId, ...granted, anyProject: false },
      hash: hashCredential(newCredential("key", context.random)),
      createdAt: new Date(context.clock.now()),
      outbox: [],
      audit: [context.auditEntry(by, "key.create", { projectId, target: _id, after })],
    };
    if (await context.keys.insertIfAbsent(key)) return key;
  }
  const isDeleted = known?.deletedAt !== undefined;
  if (known !== null && !isDeleted && isSame(known, granted)) return known;
  const change = { projectId, target: _id, after: granted };
  const entry = context.auditEntry(by, isDeleted ? "key.create" : "key.update", change);
  const key = await context.keys.regrant(_id, isDeleted, granted, entry);
  // Deleted, or restored, a moment ago.
  if (key === null) throw unauthenticated();
  return key;
}

function parseUser({ projectId, name, permissions, subject }: User) {
  const issues = new Issues();
  checkId(issues, "projectId", projectId);
  checkName(issues, name);
  const known = permissions.filter(isPermission);
  if (known.length === 0) issues.add("permissions", "must name at least one permission");
  if (subject === "" || subject.length > 256) issues.add("subject", "must be 1-256 characters");
  issues.refuse();
  return { projectId, name, permissions: [...new Set(known)].sort() };
}

function idOf({ issuer, subject, projectId }: User): string {
  return `key_${hash("sha256", JSON.stringify([issuer, subject, projectId])).slice(0, 26)}`;
}

function isSame(key: ApiKeyDocument, granted: Pick<ApiKeyDocument, "name" | "permissions">): boolean {
  return key.name === granted.name && key.permissions.join() === granted.permissions.join();
}
