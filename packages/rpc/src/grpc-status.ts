import { Code, ConnectError } from "@connectrpc/connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { status as Status, type StatusObject } from "@grpc/grpc-js";
import { pushbackHeader } from "./errors.ts";
import { toHeaders, toMetadata } from "./metadata.ts";

const detailsHeader = "grpc-status-details-bin";
// Header blocks are limited to 64 KiB on the wire, and percent-encoding can triple a text.
const maxMessageLength = 2000;

/** The gRPC status that carries an error with its details. */
export function toStatus(error: ConnectError): StatusObject {
  const message = error.rawMessage.slice(0, maxMessageLength).toWellFormed();
  const metadata = toMetadata(error.isWireError ? undefined : error.metadata);
  const pushback = error.metadata.get(pushbackHeader);
  // Not carried like other fields, since its name belongs to the protocol.
  if (pushback !== null) metadata.set(pushbackHeader, pushback);
  if (error.details.length > 0) {
    const answer = new ConnectError(message, error.code, undefined, undefined);
    answer.details = error.details;
    const details = setTrailerStatus(new Headers(), answer).get(detailsHeader);
    if (details !== null) metadata.set(detailsHeader, Buffer.from(details, "base64"));
  }
  return { code: toStatusCode(error.code), details: message, metadata };
}

/** The error in a gRPC status that is not OK. */
export function fromStatus(status: StatusObject): ConnectError {
  const headers = toHeaders(status.metadata);
  const error = readDetails(headers) ?? new ConnectError(status.details, toCode(status), headers);
  error.isWireError = true;
  return error;
}

/**
 * grpc-js reports a broken stream in one of three ways, depending on who noticed first. All of them mean that the
 * other side went away. A CANCELLED that this side asked for never gets here.
 */
function toCode(status: StatusObject): Code {
  if (status.code === Status.CANCELLED) return Code.Unavailable;
  if (status.code === Status.INTERNAL && status.details.startsWith("Received RST_STREAM")) {
    return Code.Unavailable;
  }
  return codes.get(status.code) ?? Code.Unknown;
}

function toStatusCode(code: Code): Status {
  return statusCodes.get(code) ?? Status.UNKNOWN;
}

function readDetails(headers: Headers): ConnectError | undefined {
  if (!headers.has(detailsHeader)) return undefined;
  try {
    return findTrailerError(headers);
  } catch {
    // If the details cannot be read, the status itself says more.
    return undefined;
  }
}

const pairs: ReadonlyArray<[Code, Status]> = [
  [Code.Canceled, Status.CANCELLED],
  [Code.Unknown, Status.UNKNOWN],
  [Code.InvalidArgument, Status.INVALID_ARGUMENT],
  [Code.DeadlineExceeded, Status.DEADLINE_EXCEEDED],
  [Code.NotFound, Status.NOT_FOUND],
  [Code.AlreadyExists, Status.ALREADY_EXISTS],
  [Code.PermissionDenied, Status.PERMISSION_DENIED],
  [Code.ResourceExhausted, Status.RESOURCE_EXHAUSTED],
  [Code.FailedPrecondition, Status.FAILED_PRECONDITION],
  [Code.Aborted, Status.ABORTED],
  [Code.OutOfRange, Status.OUT_OF_RANGE],
  [Code.Unimplemented, Status.UNIMPLEMENTED],
  [Code.Internal, Status.INTERNAL],
  [Code.Unavailable, Status.UNAVAILABLE],
  [Code.DataLoss, Status.DATA_LOSS],
  [Code.Unauthenticated, Status.UNAUTHENTICATED],
];
const statusCodes: ReadonlyMap<Code, Status> = new Map(pairs);
const codes: ReadonlyMap<Status, Code> = new Map(pairs.map(([code, status]) => [status, code]));
