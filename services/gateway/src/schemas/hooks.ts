import {
  flag,
  inline,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  Type,
  text,
} from "@muster/wire/schema";
import {
  body,
  managed,
  nextCursor,
  openObjectOf,
  pageQuery,
  revision,
  segmentOf,
  slug,
  slugShown,
  timeOf,
} from "./common.ts";
import { createHookExample, updateHookExample } from "./examples.ts";
import { runConfig, storedRunConfig } from "./workforce.ts";

const id = segmentOf("The id of the workforce agent.");
const hookId = segmentOf("The id of the hook.");
export const hooksParams = Type.Object({ id });
export const hookParams = Type.Object({ id, hookId });
export const hookDeliveryParams = Type.Object({
  ...{ id, hookId },
  deliveryId: segmentOf("The id of the delivery."),
});
export const receivingHookParams = Type.Object({ hookId });

const name = text("The purpose of the hook.", { minLength: 1, maxLength: 100 });
const verifyType = oneOf("The way in which the sender signs.", [
  "standard-webhooks",
  "github",
  "slack",
  "bearer",
]);
const verify = inline("How senders prove that a delivery is theirs.", {
  type: verifyType,
  secret: text(
    "The secret that they have: `whsec_` and 24 to 64 bytes in base64 for Standard Webhooks, otherwise 16 to 256 printable ASCII characters. It is never shown.",
    { minLength: 1, maxLength: 256 },
  ),
});
const filter = openObjectOf(
  "JSON Schema of the bodies that reach the agent, of up to 4,096 characters, with the keywords that docs/automation.md lists.",
);
const message = text(
  "A template of the message, as in prompts: `{{ISSUE_TITLE}}` is `issue.title` of the body, `{{BODY}}` all of it. Values are data, never template.",
  { minLength: 1, maxLength: 16_384 },
);
const threadKey = text(
  "A template. Deliveries for which it yields the same text go to one thread, as follow-ups.",
  { minLength: 1, maxLength: 1_000 },
);
const enabled = flag("False if it accepts nothing: its URL is 404.");

export const createHookBody = body("CreateHookRequest", "The hook to create.", createHookExample, {
  name,
  slug: optional({ ...slug, description: "Unique among the agent's hooks. Default: derived from the name." }),
  verify,
  filter: optional(filter),
  message,
  threadKey: optional(threadKey),
  config: optional(runConfig),
  enabled: optional({ ...enabled, default: true }),
  managed: optional({ ...managed, default: false }),
});

export const updateHookBody = body("UpdateHookRequest", "Absent members stay unchanged.", updateHookExample, {
  name: optional(name),
  verify: optional({
    ...verify,
    description:
      "A new secret. The earlier one keeps working for 24 hours if the type stays the same; a second change ends it.",
  }),
  filter: optional(nullable("Null: every body reaches the agent.", filter)),
  message: optional(message),
  threadKey: optional(nullable("Null: each delivery has a thread of its own.", threadKey)),
  config: optional(runConfig),
  enabled: optional(enabled),
  managed: optional(managed),
});

export const hookReply = object("Hook", "An address to which another system posts events for an agent.", {
  id: text("The id of the hook."),
  url: text("Where senders post events, on the host of the API: `/hooks/` and the id."),
  projectId: text("The project that it belongs to."),
  agentId: text("The workforce agent."),
  slug: { ...slugShown, description: "Its name among the agent's hooks, which never changes." },
  name: text("The purpose of the hook."),
  verify: inline("How senders prove that a delivery is theirs.", {
    type: text("The way in which the sender signs."),
    earlierUntil: nullable("When the earlier secret stops working, in ISO 8601; null without one."),
  }),
  filter: nullable("JSON Schema of the bodies that reach the agent; null for all.", filter),
  message: text("The template of the message."),
  threadKey: nullable("The template of the thread's key; null if each delivery has a thread of its own."),
  config: storedRunConfig,
  enabled,
  managed,
  revision,
  createdAt: timeOf("When it was created."),
  updatedAt: timeOf("When it was last changed."),
});

export const hookListReply = object("HookList", "The hooks of the agent.", {
  hooks: list("Newest first.", hookReply),
});

export const deleteHookReply = object("DeletedHook", "Its URL is 404 now.", {
  id: text("The id of the hook."),
  deleted: flag("True."),
});

export const hookDeliveryReply = object("HookDelivery", "An event that a sender has posted to a hook.", {
  id: text("The id of the delivery."),
  hookId: text("The hook."),
  status: text(
    "`accepted` until it is carried out; then `dispatched`, `filtered` if the body does not match the filter, or `failed`.",
  ),
  reason: nullable("Why it was filtered, has failed, or is tried again; null otherwise."),
  threadId: nullable("The thread that its message has reached; null without one."),
  replayOf: nullable("The delivery that it repeats; null if a sender has posted it."),
  bodyStart: text("The first 1,024 characters of the body: JSON, in which the secret is masked."),
  bodyLength: integer("How many characters the body has."),
  createdAt: timeOf("When it was stored."),
  settledAt: nullable("When it was dispatched, was filtered or has failed, in ISO 8601; null before."),
});

export const hookDeliveryListQuery = Type.Object({
  status: optional(
    text("`accepted`, `filtered`, `dispatched` or `failed`. Default: all.", { maxLength: 20 }),
  ),
  ...pageQuery("deliveries", 50),
});

export const hookDeliveryListReply = object("HookDeliveryList", "A page of deliveries.", {
  deliveries: list("Newest first.", hookDeliveryReply),
  nextCursor,
});

export const acceptedDeliveryReply = object("AcceptedDelivery", "The event is stored.", {
  deliveryId: text("The delivery, which repeats of the event share."),
});

export const challengeReply = object("HookChallenge", "The answer to Slack's check of the URL.", {
  challenge: text("The text that Slack has sent."),
});
