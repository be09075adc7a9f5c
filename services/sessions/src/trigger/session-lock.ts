import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { found } from "../input/access.ts";
import type { Lockable } from "../launch/acquire.ts";
import type { SessionKey } from "../store/moves.ts";
import { isExpired } from "../store/session-document.ts";

/** The lock of a session, refused with NOT_FOUND, FORBIDDEN or SESSION_EXPIRED. */
export function sessionLock({ store, clock, home }: SessionsContext, key: SessionKey): Lockable {
  return {
    store,
    key,
    expiresAt: home.expiry.held,
    busy: "Another execution of this session is running; try again when it is over.",
    assertLockable: async () => {
      const session = found(key, await store.find(key));
      if (!isExpired(session, clock.now())) return;
      throw rpcError(
        Reason.SESSION_EXPIRED,
        "The session has expired; restore it from stored messages or create another.",
      );
    },
  };
}
