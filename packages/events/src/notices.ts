import type { Clock, NewId } from "@muster/service";
import type { WebhookEventType } from "@muster/wire/webhook-events";

/** An event for webhooks. A document carries it, added in the same write as the change, until it is stored for each of them. */
export interface Notice {
  /** `evt_…`: identifies the event to its receivers. */
  id: string;
  type: WebhookEventType;
  at: Date;
  /** The facts of the change. The ids of the document are added to them. */
  data: Readonly<Record<string, string | readonly string[]>>;
}

/** The index of a collection whose documents carry notices. */
export const noticeIndex = {
  name: "outbox",
  key: { "outbox.id": 1 },
  partialFilterExpression: { "outbox.id": { $exists: true } },
} as const;

/** The fields of a document that carries notices. */
export interface NoticeFields {
  /** Absent: there were none. */
  outbox?: Notice[];
  /** How many have left the outbox. Absent: none. */
  published?: number;
}

type Listener = (projectId: string) => void;

/** Writes notices. */
export type Notices = ReturnType<typeof createNotices>;

export function createNotices({ newId, clock }: { newId: NewId; clock: Clock }) {
  const listeners = new Set<Listener>();
  return {
    create: ({ type, data }: Pick<Notice, "type" | "data">): Notice => ({
      ...{ id: newId("evt"), type, at: new Date(clock.now()) },
      data,
    }),
    /** Call after the write. */
    wake: (projectId: string) => {
      for (const listener of listeners) listener(projectId);
    },
    onNotice: (listener: Listener) => void listeners.add(listener),
  };
}
