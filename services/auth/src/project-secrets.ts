import {
  adminOf,
  type CallPrincipal,
  type HandlerContext,
  openSecret,
  Reason,
  rpcError,
  seal,
} from "@muster/rpc";
import type { AuthContext } from "./context.ts";
import { projectChangedEvent, providerKeysChangedEvent } from "./events.ts";
import type { ProjectSecret, ProjectSecretName } from "./store/project-secrets.ts";

type Kind = "providerKeys" | "toolSecrets";

/** The differences between the kinds of secrets. `belongsTo`: to which names the encryption is bound. */
const kinds = {
  providerKeys: {
    outbox: "provider_keys",
    actions: { set: "provider-key.set", delete: "provider-key.delete" },
    event: providerKeysChangedEvent,
    belongsTo: ({ projectId, name }: ProjectSecretName) => [projectId, name],
    title: ({ projectId, name }: ProjectSecretName) => `The key of the project ${projectId} for ${name}`,
  },
  toolSecrets: {
    outbox: "tool_secrets",
    actions: { set: "tool-secret.set", delete: "tool-secret.delete" },
    event: projectChangedEvent,
    belongsTo: ({ projectId, name }: ProjectSecretName) => [projectId, "tool-secrets", name],
    title: ({ projectId, name }: ProjectSecretName) =>
      `The secret of the project ${projectId} for HTTP tools on ${name}`,
  },
} as const;

const shortestWithEnd = 16;

/** Stores the secret encrypted, instead of an earlier one. Throws NOT_FOUND as `projectFor`, and as `seal`. */
export async function setProjectSecret(
  context: AuthContext,
  call: HandlerContext,
  kind: Kind,
  { projectId, name, secret }: ProjectSecretName & { secret: string },
): Promise<ProjectSecret> {
  const { event, belongsTo, outbox, actions } = kinds[kind];
  const place = { projectId: await projectFor(context, adminOf(call), projectId), name };
  // Users recognise a secret by its end. Four characters of a short one would be too much of it.
  const lastFour = secret.length < shortestWithEnd ? "" : secret.slice(-4);
  const sealed = { sealed: seal(context, secret, belongsTo(place)), lastFour };
  const now = new Date(context.clock.now());
  const entry = context.auditEntry(call, actions.set, { projectId, target: name });
  const stored = await context[kind].set(place, sealed, now, event(context, projectId), entry);
  context.outboxes[outbox].wake();
  return stored;
}

/** Whether there was one. Throws NOT_FOUND as `projectFor`. */
export async function removeProjectSecret(
  context: AuthContext,
  call: HandlerContext,
  kind: Kind,
  { projectId, name }: ProjectSecretName,
): Promise<boolean> {
  const { event, outbox, actions } = kinds[kind];
  const place = { projectId: await projectFor(context, adminOf(call), projectId), name };
  const now = new Date(context.clock.now());
  const entry = context.auditEntry(call, actions.delete, { projectId, target: name });
  const removed = await context[kind].remove(place, now, event(context, projectId), entry);
  if (removed) context.outboxes[outbox].wake();
  return removed;
}

/** The decrypted secrets of a kind, or for each a sentence for users that says why it cannot be decrypted. */
export async function openProjectSecrets(context: AuthContext, kind: Kind, projectId: string) {
  const { belongsTo, title } = kinds[kind];
  const secrets = await context[kind].list(projectId);
  return secrets.map((secret) => ({
    name: secret.name,
    ...openSecret(context, secret.sealed, belongsTo(secret), title(secret)),
  }));
}

/** Throws NOT_FOUND for a project that does not exist and for one in which the caller may not act: both take the same query. */
export async function projectFor(
  { projects }: Pick<AuthContext, "projects">,
  caller: CallPrincipal,
  projectId: string,
): Promise<string> {
  const found = await projects.find(projectId);
  if (found !== null && (caller.anyProject || caller.projectId === projectId)) return projectId;
  throw rpcError(Reason.NOT_FOUND, "The project does not exist.");
}
