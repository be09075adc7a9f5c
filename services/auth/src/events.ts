import type { OutboxEntry } from "@muster/events";
import type { NewId } from "@muster/service";
import type { AuthContext } from "./context.ts";

/** The event that the token no longer works. Part of the write that revokes it. */
export function tokenRevokedEvent(
  { newId }: { newId: NewId },
  token: { _id: string; projectId: string },
): OutboxEntry {
  return {
    id: newId("evt"),
    subject: "auth.token-revoked",
    event: { tokenId: token._id, projectId: token.projectId },
  };
}

/** The event that the key's credential no longer works. Part of the write that revokes it. */
export function revokedEvent(
  { newId }: { newId: NewId },
  key: { _id: string; projectId: string },
): OutboxEntry {
  return {
    id: newId("evt"),
    subject: "auth.key-revoked",
    event: { keyId: key._id, projectId: key.projectId },
  };
}

/** The event that tokens of the identity provider are accepted differently. Part of the write that changes it. */
export function identityProviderChangedEvent(
  { newId }: { newId: NewId },
  provider: { _id: string; projectId: string },
): OutboxEntry {
  return {
    id: newId("evt"),
    subject: "auth.identity-provider-changed",
    event: { providerId: provider._id, projectId: provider.projectId },
  };
}

/** The event that a project's keys for model providers have changed. Part of the write that changes them. */
export function providerKeysChangedEvent({ newId }: { newId: NewId }, projectId: string): OutboxEntry {
  return { id: newId("evt"), subject: "auth.provider-keys-changed", event: { projectId } };
}

/** The event that a project's MCP servers or tool secrets have changed. Part of the write that changes them. */
export function projectChangedEvent({ newId }: { newId: NewId }, projectId: string): OutboxEntry {
  return { id: newId("evt"), subject: "auth.project-changed", event: { projectId } };
}

/** Makes other services read the project again at once. Without the event, they do when what they have is 4 s old. */
export async function announceProjectChange(
  { bus, newId, log }: Pick<AuthContext, "bus" | "newId" | "log">,
  projectId: string,
): Promise<void> {
  try {
    await bus.publish("auth.project-changed", { projectId }, { id: newId("evt") });
  } catch (error) {
    log.warn(
      { err: error, projectId },
      "a change of a project could not be announced; it applies in seconds",
    );
  }
}
