import type { GetRecordingResponse } from "@muster/proto/recordings";
import { Reason, readRpcError } from "@muster/rpc";
import { isRecordingId } from "@muster/storage/recordings";
import type { FastifyRequest } from "fastify";
import { bearerOf } from "../../auth/access.ts";
import { loginHeader } from "../../auth/login-cookie.ts";
import type { GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";

/** The recording that the path and the query of a request name. */
export interface Wanted {
  recordingId: string;
  /** The token of a signed URL. */
  token: string | undefined;
}

/**
 * The recording, if the reader may watch it: because it is public, the URL is signed, or the key is that of the agent. Throws
 * NOT_FOUND otherwise, in the same way as for a recording that does not exist; RECORDING_GONE for one that was deleted.
 */
export async function findRecording(
  context: GatewayContext,
  request: FastifyRequest,
  wanted: Wanted,
): Promise<GetRecordingResponse> {
  const found = await lookUp(context, request, wanted.recordingId);
  // A wrong key gets its own error, whether or not there is a recording.
  if (!isOpenTo(context, found, wanted) && !(await isOfCaller(request, found))) throw unknown();
  if (found === undefined) throw unknown();
  if (found.status === "deleted") throw new HttpProblem("RECORDING_GONE", "This recording was deleted.");
  return found;
}

async function lookUp(
  { recordings, asPlatform }: GatewayContext,
  request: FastifyRequest,
  recordingId: string,
): Promise<GetRecordingResponse | undefined> {
  if (!isRecordingId(recordingId)) return undefined;
  try {
    return await recordings.getRecording({ recordingId }, asPlatform(request));
  } catch (error) {
    if (readRpcError(error).reason === Reason.NOT_FOUND) return undefined;
    throw error;
  }
}

function isOpenTo(
  { recordingFiles }: GatewayContext,
  found: GetRecordingResponse | undefined,
  { recordingId, token }: Wanted,
): boolean {
  if (found?.visibility === "public") return true;
  return token !== undefined && recordingFiles?.addresses.isGenuine(recordingId, token) === true;
}

async function isOfCaller(
  request: FastifyRequest,
  found: GetRecordingResponse | undefined,
): Promise<boolean> {
  if (bearerOf(request.raw) === undefined && request.headers[loginHeader] === undefined) return false;
  const principal = (await request.admit?.())?.principal;
  if (principal === undefined || found === undefined) return false;
  return principal.projectId === found.projectId && principal.agentId === found.agentId;
}

function unknown(): HttpProblem {
  return new HttpProblem(
    "NOT_FOUND",
    "This recording does not exist, or the link to it is wrong or has expired. Read the thread again for a new link.",
  );
}
