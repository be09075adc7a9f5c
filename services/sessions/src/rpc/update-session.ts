import { setTimeout as delay } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { UpdateSessionResponseSchema } from "@muster/proto/sessions";
import { Issues, refuseToken } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, found, keyFor } from "../input/caller.ts";
import { type MetadataChanges, mergeMetadata, readMetadataChanges } from "../input/new-session.ts";
import { fromEntries, type Metadata, toEntries } from "../store/metadata.ts";
import type { SessionKey } from "../store/moves.ts";
import { sessionExpired, unavailable } from "../store/refusals/unavailable.ts";
import { isExpired } from "../store/session-document.ts";
import type { Handler } from "./handler.ts";

export const updateSession: Handler<"updateSession"> = async (context, request, call) => {
  const caller = refuseToken(driverOf(call), "change metadata");
  const key = keyFor(caller, request.sessionId);
  const issues = new Issues();
  const changes = await readMetadataChanges(issues, request.metadataJson);
  issues.refuse();
  const metadata = await changeMetadata(context, key, changes, { signal: call.signal });
  return create(UpdateSessionResponseSchema, { metadataJson: JSON.stringify(metadata) });
};

/** Only changes of other instances cost a try. */
const maxAttempts = 32;
const firstPauseMs = 10;
const longestPauseMs = 200;

export interface MetadataDependencies {
  store: Pick<SessionsContext["store"], "findMetadata" | "describe">;
  clock: Pick<SessionsContext["clock"], "now">;
  inOrder: SessionsContext["inOrder"];
}

/** Merges the changes into whatever is stored, although others change it at the same time. */
export function changeMetadata(
  deps: MetadataDependencies,
  key: SessionKey,
  changes: MetadataChanges,
  { signal, pause = pauseAfter }: { signal?: AbortSignal; pause?: (attempt: number) => Promise<void> } = {},
): Promise<Metadata> {
  return deps.inOrder(key.sessionId, async () => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      signal?.throwIfAborted();
      const metadata = await tryChange(deps, key, changes);
      if (metadata !== undefined) return metadata;
      await pause(attempt);
    }
    throw unavailable("The metadata is being changed by too many requests at once. Try again.");
  });
}

/** Undefined: another instance was faster. */
async function tryChange(
  { store, clock }: MetadataDependencies,
  key: SessionKey,
  changes: MetadataChanges,
): Promise<Metadata | undefined> {
  const session = found(key, await store.findMetadata(key));
  const nowMs = clock.now();
  if (isExpired(session, nowMs)) throw sessionExpired();
  const issues = new Issues();
  const metadata = mergeMetadata(issues, fromEntries(session.metadata), changes);
  issues.refuse();
  const isStored = await store.describe(key, session.metadata, toEntries(metadata), new Date(nowMs));
  return isStored ? metadata : undefined;
}

/** Random, so that instances that collided do not collide again. */
async function pauseAfter(attempt: number): Promise<void> {
  await delay(Math.random() * Math.min(firstPauseMs * 2 ** attempt, longestPauseMs));
}
