import { create } from "@bufbuild/protobuf";
import {
  type UpdateSessionRequest,
  type UpdateSessionResponse,
  UpdateSessionResponseSchema,
} from "@muster/proto/sessions";
import { Issues, refuseToken } from "@muster/rpc";
import { driverOf, keyFor } from "../input/caller.ts";
import { readMetadataChanges } from "../input/metadata.ts";
import { changeMetadata } from "./change-metadata.ts";
import type { Handler } from "./handler.ts";

export const updateSession: Handler<UpdateSessionRequest, UpdateSessionResponse> = async (
  context,
  request,
  call,
) => {
  const caller = refuseToken(driverOf(call), "change metadata");
  const key = keyFor(caller, request.sessionId);
  const issues = new Issues();
  const changes = await readMetadataChanges(issues, request.metadataJson);
  issues.refuse();
  const metadata = await changeMetadata(context, key, changes, { signal: call.signal });
  return create(UpdateSessionResponseSchema, { metadataJson: JSON.stringify(metadata) });
};
