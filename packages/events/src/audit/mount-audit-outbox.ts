import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type AuditEntry as AuditEntryMessage,
  AuditEntrySchema,
  AuditOutboxService,
  DropPendingEntriesResponseSchema,
  ListPendingEntriesResponseSchema,
} from "@muster/proto/audit";
import {
  actorKinds,
  bindTo,
  callerOf,
  forbidden,
  type HandlerContext,
  invalidRequest,
  isPlatform,
  mountService,
} from "@muster/rpc";
import { auditActions } from "@muster/wire/audit";
import type { AuditEntry } from "./audit-index.ts";
import type { AuditOutbox } from "./audit-outbox.ts";

const maxLimit = 1_000;
const outcomes = ["succeeded", "approved", "denied"] as const;

/** Serves the entries of a service to the audit log. `outageOf`: see `bindTo`. */
export function mountAuditOutbox(
  outbox: () => AuditOutbox,
  outageOf: Parameters<typeof bindTo<AuditOutbox>>[1],
) {
  const bind = bindTo(outbox, outageOf);
  return mountService(AuditOutboxService, {
    listPendingEntries: bind(async ({ list }, { limit }: { limit: number }, call) => {
      assertPlatform(call);
      if (limit < 1 || limit > maxLimit) throw invalidRequest("limit", `must be from 1 to ${maxLimit}`);
      const pending = await list(limit);
      return create(ListPendingEntriesResponseSchema, {
        pending: pending.map(({ entry, ...place }) => ({ ...place, entry: entryMessage(entry) })),
      });
    }),
    dropPendingEntries: bind(async ({ drop }, { places }: { places: Parameters<typeof drop>[0] }, call) => {
      assertPlatform(call);
      await drop(places);
      return create(DropPendingEntriesResponseSchema, {});
    }),
  });
}

function assertPlatform(call: HandlerContext): void {
  if (!isPlatform(callerOf(call)))
    throw forbidden("Only the platform itself takes entries of the audit log.");
}

export function entryMessage({ at, ...entry }: AuditEntry): AuditEntryMessage {
  return create(AuditEntrySchema, { ...entry, at: timestampFromDate(at) });
}

/** Undefined: a newer release has made it, whose own instances append it. */
export function readEntry(message: AuditEntryMessage | undefined): AuditEntry | undefined {
  const { id, projectId, at, actor, target, before, after, requestId } = message ?? {};
  const action = auditActions.find((known) => known === message?.action);
  const kind = actorKinds.find((known) => known === actor?.kind);
  const outcome = outcomes.find((known) => known === message?.outcome);
  if (!id || !projectId || !at || !actor || !action || !kind || !outcome) return undefined;
  return {
    ...{ id, projectId, at: timestampDate(at) },
    actor: { kind, id: actor.id, ...(actor.ip !== undefined && { ip: actor.ip }) },
    ...{ action, target: target ?? "" },
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...{ requestId: requestId ?? "", outcome },
  };
}
