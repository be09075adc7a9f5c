import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { entryMessage } from "@muster/events/audit";
import { type ListAuditEntriesRequest, ListAuditEntriesResponseSchema } from "@muster/proto/audit";
import { adminOf, invalidRequest, pageOf, readPage } from "@muster/rpc";
import { firstIdAt } from "@muster/service";
import type { AuditFilter } from "../../audit/audit-store.ts";
import type { Handler } from "../handler.ts";

const maxSize = 1_000;
const placeInChain = /^no_(\d{1,10})$/;

export const listAuditEntries: Handler<"listAuditEntries"> = async ({ audit }, request, call) => {
  const { projectId } = adminOf(call);
  const { size, before } = readPage(request, maxSize);
  const anchor = await audit.anchorOf(projectId);
  const found = request.chain
    ? await audit.chain(projectId, Math.max(placeOf(before), anchor?.number ?? 0), size + 1)
    : await audit.list(readFilter(request, projectId, before), size + 1);
  const named = found.map((entry) => ({
    ...{ entry, _id: request.chain ? `no_${entry.number}` : entry.id },
  }));
  const { items, nextCursor } = pageOf(named, size);
  return create(ListAuditEntriesResponseSchema, {
    entries: items.map(({ entry: { number, hash, ...entry } }) => ({
      ...{ ...entryMessage(entry), number: BigInt(number), hash },
    })),
    nextCursor,
    ...(anchor && { anchor: { number: BigInt(anchor.number), hash: anchor.hash } }),
  });
};

/** The number of the last entry of the previous page. Throws INVALID_REQUEST for the cursor of another order. */
function placeOf(before: string | undefined): number {
  if (before === undefined) return 0;
  const place = placeInChain.exec(before)?.[1];
  if (place === undefined) throw invalidRequest("cursor", "must be the nextCursor of the same list");
  return Number(place);
}

function readFilter(
  { actor, action, target, from, to }: ListAuditEntriesRequest,
  projectId: string,
  before: string | undefined,
): AuditFilter {
  const ends = [before, to && firstIdAt("aud", timestampMs(to))].filter((end) => end !== undefined).sort();
  return {
    ...{ projectId, actor, action, target },
    ...(from && { fromId: firstIdAt("aud", timestampMs(from)) }),
    ...(ends[0] !== undefined && { beforeId: ends[0] }),
  };
}
