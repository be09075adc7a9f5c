import { randomBytes } from "node:crypto";
import { openSecret, seal } from "@muster/rpc";
import { Secret } from "@muster/service";
import type { WorkforceContext } from "../context.ts";
import type { WebhookDocument, WebhookSecret } from "../store/webhook-document.ts";

/** How long the earlier secret is valid as well. */
const overlapMs = 24 * 3_600_000;
const secretBytes = 32;

/** The secrets of a webhook, a hook, or the callbacks of a project. `kind`: webhooks by default. */
type Owner = Pick<WebhookDocument, "projectId" | "_id"> & { kind?: "hooks" };

export function ownerOfCallbacks(projectId: string): Owner {
  return { projectId, _id: "callbacks" };
}

const belongsTo = ({ projectId, kind, _id }: Owner) => [projectId, kind ?? "webhooks", _id];

export interface Rotated {
  /** `whsec_…` */
  secret: string;
  secrets: WebhookSecret[];
  /** Until when the earlier one is valid. Absent: there was none. */
  earlierUntil?: Date;
}

/** A new secret before the current one. Throws INVALID_REQUEST if the installation cannot encrypt. */
export function rotateSecret(
  context: Pick<WorkforceContext, "secretBox" | "clock">,
  owner: Owner,
  [current]: readonly WebhookSecret[],
  secret = `whsec_${randomBytes(secretBytes).toString("base64")}`,
): Rotated {
  const next = { sealed: seal(context, secret, belongsTo(owner)) };
  if (current === undefined) return { secret, secrets: [next] };
  const earlierUntil = new Date(context.clock.now() + overlapMs);
  return { secret, secrets: [next, { ...current, until: earlierUntil }], earlierUntil };
}

/** Those that are valid now, or a sentence that says why there is none. */
export function openSecrets(
  context: Pick<WorkforceContext, "secretBox" | "log">,
  owner: Owner,
  secrets: readonly WebhookSecret[],
  now: Date,
): { secrets: Secret[] } | { problem: string } {
  const opened: Secret[] = [];
  for (const { sealed, until } of secrets) {
    if (until !== undefined && until <= now) continue;
    const found = openSecret(
      context,
      sealed,
      belongsTo(owner),
      `The secret of the ${owner.kind === "hooks" ? "hook" : "webhook"}`,
    );
    if ("problem" in found) return found;
    opened.push(new Secret(found.text));
  }
  return opened.length > 0 ? { secrets: opened } : { problem: "The secret is missing: create a new one." };
}
