import { create } from "@bufbuild/protobuf";
import {
  type UpdateSessionRequest,
  type UpdateSessionResponse,
  UpdateSessionResponseSchema,
} from "@muster/proto/sessions";
import { forbidden, Issues } from "@muster/rpc";
import { driverOf, keyFor } from "../input/access.ts";
import { readMetadataChanges } from "../input/metadata.ts";
import { changeMetadata } from "./change-metadata.ts";
import type { Handler } from "./handler.ts";

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
  const metadata = await changeMetadata(context, key, changes, { signal: call.signal });
  return create(UpdateSessionResponseSchema, { metadataJson: JSON.stringify(metadata) });
};
