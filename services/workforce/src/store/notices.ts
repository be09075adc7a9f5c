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

/** The fields of a document that carries notices. */
export interface NoticeFields {
  /** Absent: there were none. */
  outbox?: Notice[];
  /** How many have left the outbox. Absent: none. */
  published?: number;
}

/** Writes notices. */
export type Notices = ReturnType<typeof createNotices>;

export function createNotices({ newId, clock }: { newId: NewId; clock: Clock }) {
  const listeners = new Set<() => void>();
  return {
    create: ({ type, data }: Pick<Notice, "type" | "data">): Notice => ({
      ...{ id: newId("evt"), type, at: new Date(clock.now()) },
      data,
    }),
    /** Call after the write. */
    wake: () => {
      for (const listener of listeners) listener();
    },
    onNotice: (listener: () => void) => void listeners.add(listener),
  };
}
