export {
  type SendOptions,
  type SessionOptions,
  type SessionState,
  type SessionStatus,
  SessionStore,
  type Upload,
} from "./session-store.ts";
export { type ThreadState, ThreadStore } from "./thread-store.ts";
export { useSession } from "./use-session.ts";
export { useThread } from "./use-thread.ts";
