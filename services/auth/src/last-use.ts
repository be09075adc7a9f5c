import type { Clock, Logger } from "@muster/service";
import type { ApiKeyDocument, LoginDocument } from "./store/documents.ts";
import type { KeyStore } from "./store/keys.ts";
import type { TokenStore } from "./store/tokens.ts";

const everyMs = 60_000;
const extendEveryMs = 5 * 60_000;

interface Stores {
  keys: Pick<KeyStore, "noteUse">;
  tokens: Pick<TokenStore, "extend">;
}

/** Records the use of keys and logins. Requests never wait for the write. */
export function createLastUse({ keys, tokens }: Stores, clock: Clock, log: Logger) {
  const pending = new Map<string, Promise<void>>();
  const record = (id: string, write: () => Promise<void>) => {
    if (pending.has(id)) return;
    const written = write()
      .catch((error: unknown) => log.warn({ err: error, id }, "could not record the use of a credential"))
      .finally(() => pending.delete(id));
    pending.set(id, written);
  };
  return {
    /** Notes when a key was last used, to the minute. */
    note: ({ _id, lastUsedAt }: ApiKeyDocument) => {
      const nowMs = clock.now();
      const isFresh = lastUsedAt !== undefined && lastUsedAt.getTime() > nowMs - everyMs;
      if (!isFresh) record(_id, () => keys.noteUse(_id, new Date(nowMs), new Date(nowMs - everyMs)));
    },
    /** Moves the end of a login, unless it was moved in the last minutes. */
    extend: ({ _id, expiresAt: present }: LoginDocument, expiresAt: Date) => {
      const cutoff = new Date(expiresAt.getTime() - extendEveryMs);
      if (present < cutoff) record(_id, () => tokens.extend(_id, expiresAt, cutoff));
    },
    /** Resolves once pending writes have ended. */
    settle: async () => {
      await Promise.all(pending.values());
    },
  };
}
