export type {
  Bus,
  EventHandler,
  EventMeta,
  PublishOptions,
  SubscribeOptions,
  Subscription,
} from "./bus.ts";
export { busDependency } from "./bus.ts";
export { createInProcessBus, type InProcessBusOptions } from "./in-process-bus.ts";
export { connectNatsBus, type NatsBusOptions } from "./nats/index.ts";
export { createNotices, type Notice, type NoticeFields, type Notices, noticeIndex } from "./notices.ts";
export {
  createOutboxRelay,
  type OutboxCollection,
  type OutboxDocument,
  type OutboxEntry,
  type OutboxRelay,
  type OutboxRelayOptions,
  outboxAgeS,
  publishTo,
} from "./outbox-relay.ts";
export { EventFormatError, type EventMap, isSubject, readEvent, type Subject } from "./subjects.ts";
