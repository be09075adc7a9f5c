import { FetchProblem } from "@muster/guarded-fetch";
import type { CreateWebhookRequest, UpdateWebhookRequest } from "@muster/proto/webhooks";
import { Issues } from "@muster/rpc";
import { type WebhookEventType, webhookEventTypes } from "@muster/wire/webhook-events";
import type { WorkforceContext } from "../context.ts";
import type { WebhookDocument } from "../store/webhook-document.ts";
import type { WebhookChanges } from "../store/webhook-store.ts";
import { checkSlug } from "./slug.ts";
import { checkStorable } from "./texts.ts";

const maxUrlLength = 2_000;
const maxDescriptionLength = 500;
const agentIdForm = /^[0-9A-Za-z_-]{1,100}$/;

type Checks = Pick<WorkforceContext, "checkWebhookUrl">;
type Settings = Pick<WebhookDocument, "url" | "events" | "agentId" | "description" | "enabled" | "managed">;

/** Throws INVALID_REQUEST with all issues. */
export function readWebhook(
  checks: Checks,
  request: CreateWebhookRequest,
): Settings & { slug: string | undefined } {
  const issues = new Issues();
  const { slug, url, agentId, description, enabled = true, managed } = request;
  checkSlug(issues, slug);
  checkUrl(checks, issues, "url", url);
  const events = readEvents(issues, request.events);
  checkTexts(issues, request);
  issues.refuse();
  return {
    ...{ slug, url, events, enabled },
    ...(agentId && { agentId }),
    ...(description && { description }),
    ...(managed && { managed }),
  };
}

/** Throws INVALID_REQUEST with all issues. */
export function readWebhookChanges(checks: Checks, request: UpdateWebhookRequest): WebhookChanges {
  const issues = new Issues();
  const { url, agentId, description, enabled, managed } = request;
  if (url !== undefined) checkUrl(checks, issues, "url", url);
  const events = request.events && readEvents(issues, request.events.types);
  checkTexts(issues, request);
  issues.refuse();
  return {
    ...(url !== undefined && { url }),
    ...(events && { events }),
    ...(enabled !== undefined && { enabled }),
    ...(managed !== undefined && { managed }),
    ...(agentId !== undefined && { agentId: agentId || null }),
    ...(description !== undefined && { description: description || null }),
  };
}

/** A URL that events are sent to: whether its name leads to an allowed address is known when it is fetched. */
export function checkUrl({ checkWebhookUrl }: Checks, issues: Issues, path: string, url: string): void {
  issues.checkLength(path, url, { min: 1, max: maxUrlLength });
  try {
    if (url !== "") checkWebhookUrl(url);
  } catch (error) {
    if (!(error instanceof FetchProblem)) throw error;
    issues.add(path, `cannot be used: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1, -1)}`);
  }
}

function readEvents(issues: Issues, texts: readonly string[]): WebhookEventType[] {
  const known = webhookEventTypes.filter((type) => texts.includes(type));
  if (texts.length === 0 || texts.some((text) => !known.some((type) => type === text)))
    issues.add("events", `must contain at least one of ${webhookEventTypes.join(", ")}, and nothing else`);
  return known;
}

function checkTexts(
  issues: Issues,
  { agentId = "", description = "" }: { agentId?: string | undefined; description?: string | undefined },
): void {
  if (agentId !== "" && !agentIdForm.test(agentId)) issues.add("agentId", "must be an id");
  issues.checkLength("description", description, { max: maxDescriptionLength });
  checkStorable(issues, "description", description);
}
