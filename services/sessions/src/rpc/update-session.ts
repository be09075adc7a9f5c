import { create } from "@bufbuild/protobuf";
import {
  type UpdateSessionRequest,
  type UpdateSessionResponse,
  UpdateSessionResponseSchema,
} from "@muster/proto/sessions";
import { forbidden, Issues } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, found, keyFor } from "../input/access.ts";
import { type MetadataChanges, mergeMetadata, readMetadataChanges } from "../input/metadata.ts";
import { sessionExpired } from "../refusals/session-expired.ts";
import { unavailable } from "../refusals/unavailable.ts";
import { fromEntries, type Metadata, toEntries } from "../store/metadata.ts";
import type { SessionKey } from "../store/moves.ts";
import { isExpired } from "../store/session-document.ts";
import type { Handler } from "./handler.ts";

/** Enough for every other change of a burst to come first. */
const maxAttempts = 32;

export const updateSession: Handler<UpdateSessionRequest, UpdateSessionResponse> = async (
  context,
  request,
  call,
) => {
  const caller = driverOf(call);
  const key = keyFor(caller, request.sessionId);
  if (caller.sessionId !== undefined) {
    throw forbidden("A credential for one session cannot change its metadata. Use an API key.");
  }
  const issues = new Issues();
  const changes = await readMetadataChanges(issues, request.metadataJson);
  issues.refuse();
  const metadata = await change(context, key, changes);
  return create(UpdateSessionResponseSchema, { metadataJson: JSON.stringify(metadata) });
};

/** Merges the changes into whatever is stored, although others change it at the same time. */
async function change(
  { store, clock }: Pick<SessionsContext, "store" | "clock">,
  key: SessionKey,
  changes: MetadataChanges,
): Promise<Metadata> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const session = found(key, await store.find(key));
    const nowMs = clock.now();
    if (isExpired(session, nowMs)) throw sessionExpired();
    const issues = new Issues();
    const metadata = mergeMetadata(issues, fromEntries(session.metadata), changes);
    issues.refuse();
    if (await store.describe(key, session.metadata, toEntries(metadata), new Date(nowMs))) return metadata;
  }
  throw unavailable("The metadata is being changed by too many requests at once. Try again.");
}
