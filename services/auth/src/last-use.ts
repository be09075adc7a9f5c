import type { Clock, Logger } from "@muster/service";
import type { ApiKeyDocument } from "./store/documents.ts";
import type { KeyStore } from "./store/keys.ts";

const everyMs = 60_000;

/** Records when keys were last used, to the minute. Requests never wait for the write. */
export function createLastUse(keys: Pick<KeyStore, "noteUse">, clock: Clock, log: Logger) {
  const pending = new Map<string, Promise<void>>();
  return {
    note: ({ _id, lastUsedAt }: ApiKeyDocument) => {
      const nowMs = clock.now();
      const isFresh = lastUsedAt !== undefined && lastUsedAt.getTime() > nowMs - everyMs;
      if (isFresh || pending.has(_id)) return;
      const write = keys
        .noteUse(_id, new Date(nowMs), new Date(nowMs - everyMs))
        .catch((error: unknown) => log.warn({ err: error, keyId: _id }, "could not record the use of a key"))
        .finally(() => pending.delete(_id));
      pending.set(_id, write);
    },
    /** Resolves once pending writes have ended. */
    settle: async () => {
      await Promise.all(pending.values());
    },
  };
}
