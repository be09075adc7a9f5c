import type { OwnAction } from "@muster/events/audit";
import { permissions } from "@muster/rpc";
import { ConfigError, Secret } from "@muster/service";
import { hashCredential, newCredential } from "@muster/service/credentials";
import { isDuplicateKey } from "@muster/store";
import type { AuthContext } from "./context.ts";
import { revokedEvent } from "./events.ts";
import type { ApiKeyDocument } from "./store/documents.ts";

/** The project that the first start creates. */
export const defaultProjectId = "default";

// The fixed id makes this safe if several instances start at once: one insert wins.
const bootstrapKeyId = "key_bootstrap";

/**
 * Creates the project `default` and the bootstrap key if they are missing. Returns the secret only if this call
 * generated it; every other instance and every later start returns undefined.
 */
export async function bootstrap(context: AuthContext, preset?: Secret): Promise<Secret | undefined> {
  const now = new Date(context.clock.now());
  const made = (action: "project.create" | "key.create", target: string) => ({
    audit: [context.auditEntry(byPlatform(context), action, { projectId: defaultProjectId, target })],
  });
  await context.projects.insertIfAbsent({
    ...{ _id: defaultProjectId, name: "Default", createdAt: now },
    ...made("project.create", defaultProjectId),
  });
  const secret = preset?.reveal() ?? newCredential("key", context.random);
  const isMade = await context.keys.insertIfAbsent({
    ...bootstrapKey(hashCredential(secret), now),
    ...made("key.create", bootstrapKeyId),
  });
  if (isMade) return preset ? undefined : new Secret(secret);
  if (preset) await replaceBootstrapKey(context, preset);
  return undefined;
}

function byPlatform({ newId }: AuthContext): OwnAction {
  return { actor: { kind: "platform", id: "bootstrap" }, requestId: newId("req") };
}

function bootstrapKey(hash: string, createdAt: Date): ApiKeyDocument {
  return {
    _id: bootstrapKeyId,
    projectId: defaultProjectId,
    name: "Bootstrap",
    hash,
    permissions: [...permissions],
    anyProject: true,
    createdAt,
    outbox: [],
  };
}

async function replaceBootstrapKey(context: AuthContext, preset: Secret): Promise<void> {
  const event = revokedEvent(context, { _id: bootstrapKeyId, projectId: defaultProjectId });
  const hash = hashCredential(preset.reveal());
  const change = { projectId: defaultProjectId, target: bootstrapKeyId };
  const entry = context.auditEntry(byPlatform(context), "key.update", change);
  const replaced = await context.keys
    .replaceSecret(bootstrapKeyId, hash, event, entry)
    .catch(refuseSharedSecret);
  const current = await context.keys.find(bootstrapKeyId);
  // The insert can also have failed because another key has this secret.
  if (current === null) refuseSharedSecret();
  if (replaced) context.log.warn("the bootstrap key was replaced by MUSTER_ADMIN_KEY");
  context.outboxes.keys.wake();
}

function refuseSharedSecret(error?: unknown): never {
  if (error !== undefined && !isDuplicateKey(error)) throw error;
  throw new ConfigError("MUSTER_ADMIN_KEY", "is the secret of another API key; choose a new one");
}
