import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { Reason } from "@muster/proto/errors";
import { type IssueInput, rpcError } from "@muster/rpc";

const maxNameLength = 100;
const controlCharacter = /\p{Cc}/u;
const opaqueId = /^[0-9A-Za-z_-]{1,100}$/;

/** Throws INVALID_REQUEST when there is any issue. */
export function refuseIssues(issues: IssueInput[]): void {
  if (issues.length === 0) return;
  throw rpcError(Reason.INVALID_REQUEST, "Some fields are missing or wrong; see issues.", { issues });
}

export function checkName(name: string): IssueInput[] {
  const length = [...name].length;
  const isFine = name.trim() !== "" && length <= maxNameLength && !controlCharacter.test(name);
  return isFine
    ? []
    : [{ path: "name", message: `must be 1-${maxNameLength} characters without control characters` }];
}

export function checkId(path: string, id: string | undefined): IssueInput[] {
  return id === undefined || opaqueId.test(id) ? [] : [{ path, message: "must be an id" }];
}

/** The date of a timestamp; invalid dates come back as `NaN` and fail every comparison. */
export function dateOf(time: Timestamp | undefined): Date | undefined {
  return time === undefined ? undefined : timestampDate(time);
}
