import { createHash } from "node:crypto";
import { type ListSessionsRequest, SessionStatus } from "@muster/proto/sessions";
import { checkSubject, Issues } from "@muster/rpc";
import { entryOf } from "../store/metadata.ts";
import type { Place } from "../store/session-lists.ts";
import { readMetadata } from "./new-session.ts";
import { checkId } from "./values.ts";

const defaultLimit = 20;
const maxLimit = 100;
const maxCursorLength = 500;

/** Which sessions to list. */
export interface ListFilter {
  projectId: string;
  agentId?: string;
  isActive?: boolean;
  subject?: string;
  /** Each must be among the session's metadata; see `metadata.ts`. In alphabetical order. */
  entries: readonly string[];
}

export interface ListPage {
  filter: ListFilter;
  limit: number;
  /** The last session of the previous page. Absent: from the beginning. */
  after?: Place;
}

/** Throws INVALID_REQUEST with every issue. `agentId`: the only agent whose sessions the caller may use. */
export async function readListRequest(
  request: ListSessionsRequest,
  { projectId, agentId = request.agentId }: { projectId: string; agentId?: string | undefined },
): Promise<ListPage> {
  const issues = new Issues();
  if (agentId !== undefined) checkId(issues, "agentId", agentId);
  const { subject } = request;
  checkSubject(issues, subject);
  const metadata = await readMetadata(issues, request.metadataJson);
  const isActive = readStatus(issues, request.status);
  const filter = {
    projectId,
    ...(agentId !== undefined && { agentId }),
    ...(isActive !== undefined && { isActive }),
    ...(subject !== undefined && { subject }),
    entries: Object.entries(metadata)
      .map(([key, value]) => entryOf(key, value))
      .sort(),
  };
  const limit = request.limit ?? defaultLimit;
  if (limit < 1 || limit > maxLimit) issues.add("limit", `must be a number from 1 to ${maxLimit}`);
  const after = request.cursor === "" ? undefined : placeFrom(request.cursor, filter);
  if (request.cursor !== "" && after === undefined) {
    issues.add("cursor", "must be the nextCursor of a list with the same filters");
  }
  issues.refuse();
  return { filter, limit, ...(after && { after }) };
}

function readStatus(issues: Issues, status: SessionStatus): boolean | undefined {
  if (status === SessionStatus.UNSPECIFIED) return undefined;
  if (status === SessionStatus.ACTIVE) return true;
  if (status !== SessionStatus.EXPIRED) issues.add("status", "must be active or expired");
  return false;
}

/** Only valid with the same filter: elsewhere, the place would mean a different page than the caller thinks. */
export function cursorOf({ _id, updatedAt }: Place, filter: ListFilter): string {
  return Buffer.from(JSON.stringify([updatedAt.getTime(), _id, fingerprint(filter)])).toString("base64url");
}

function placeFrom(cursor: string, filter: ListFilter): Place | undefined {
  if (cursor.length > maxCursorLength) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (!Array.isArray(parsed)) return undefined;
    const [updatedAtMs, _id, print]: unknown[] = parsed;
    if (!Number.isSafeInteger(updatedAtMs) || typeof _id !== "string" || print !== fingerprint(filter)) {
      return undefined;
    }
    const updatedAt = new Date(Number(updatedAtMs));
    return Number.isNaN(updatedAt.getTime()) ? undefined : { _id, updatedAt };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function fingerprint({ projectId, agentId, isActive, subject, entries }: ListFilter): string {
  const named = subject === undefined ? [] : [{ subject }];
  const text = JSON.stringify([projectId, agentId ?? null, isActive ?? null, ...entries, ...named]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
