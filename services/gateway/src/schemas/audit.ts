import { integer, list, nullable, object, optional, Type, text } from "@muster/wire/schema";
import { numberPatterns } from "../edge/errors/patterns.ts";
import { nextCursor, pageQuery, timeOf } from "./common.ts";

const filter = (description: string) => optional(text(description, { minLength: 1, maxLength: 200 }));
const time = (description: string) => optional(text(`${description} In ISO 8601.`, { maxLength: 64 }));

export const auditQuery = Type.Object({
  ...pageQuery("entries", 50),
  limit: optional(
    text("The maximum number of entries of a page, from 1 to 1,000. Default: 50.", {
      pattern: numberPatterns[1000],
    }),
  ),
  actor: filter("The id of the credential, or of the subject of an identity provider, that made the change."),
  action: filter("An action, such as `key.create`."),
  target: filter("The id of the changed resource; its name if it has no id."),
  from: time("The earliest time."),
  to: time("The time before which it was changed."),
});

const auditActor = object("AuditActor", "Who made the change.", {
  kind: text(
    "`key`, `login` (of a key), `token`, `identity` (a token of an identity provider) or `platform` (the platform itself).",
  ),
  id: text("The id of the credential; `jwt_…` of the subject of an identity provider."),
  ip: nullable("The address of the client; null if it is not known."),
});

const auditEntry = object("AuditEntry", "A change.", {
  id: text("The id of the entry."),
  number: integer("The place in the chain of the project, from 1, without gaps."),
  at: timeOf("When it was changed."),
  actor: auditActor,
  action: text("Such as `key.create`."),
  target: text("The id of the changed resource; its name if it has no id."),
  before: nullable("SHA-256 of the changed settings before; null if there were none or they are not known."),
  after: nullable("SHA-256 of the changed settings afterwards; null if there are none."),
  requestId: text("`X-Request-Id` of the request."),
  outcome: text("`succeeded`; of a decision, `approved` or `denied`."),
  hash: text("SHA-256 of the hash before it and the entry."),
});

export const auditReply = object("AuditPage", "Changes of the project.", {
  entries: list("Newest first.", auditEntry),
  nextCursor,
});
