import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Notice, NoticeFields, OutboxCollection } from "@muster/events";
import type { NoticedDocument } from "@muster/proto/sessions";
import { webhookEventTypes } from "@muster/wire/webhook-events";
import type { WorkforceContext } from "../context.ts";

const pageSize = 100;

/** An approval or a session with events. */
export interface NoticedInSessions extends NoticeFields {
  _id: string;
  projectId: string;
  agentId: string;
  ids: Record<string, string>;
}

/** The documents of the sessions service that have events for webhooks, as an outbox relay reads collections. */
export function sessionNotices({
  services: { sessions },
  callAsPlatform,
}: Pick<WorkforceContext, "services" | "callAsPlatform">): OutboxCollection<NoticedInSessions> {
  const projects = new Map<string, string>();
  return {
    // The sessions service has created it.
    createIndex: async () => "",
    find: async function* () {
      projects.clear();
      for (;;) {
        const { documents } = await sessions.listNotices({ limit: pageSize }, callAsPlatform());
        const others = documents.filter(({ id }) => !projects.has(id));
        for (const document of others) projects.set(document.id, document.projectId);
        yield* others.map(read);
        if (others.length === 0) return;
      }
    },
    updateOne: ({ _id: documentId, "outbox.id": noticeId }) =>
      sessions.dropNotice(
        { documentId, noticeId, projectId: projects.get(documentId) ?? "" },
        callAsPlatform(),
      ),
  };
}

function read({ id: _id, projectId, agentId, ids, published, notices }: NoticedDocument): NoticedInSessions {
  const outbox = notices.flatMap(({ id, type: name, at, data }): Notice[] => {
    // A newer release may have added types: its own instances take them.
    const type = webhookEventTypes.find((known) => known === name);
    return type === undefined || at === undefined ? [] : [{ id, type, at: timestampDate(at), data }];
  });
  return { _id, projectId, agentId, ids, published, outbox };
}
