import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Issues } from "@muster/rpc";

const maxNameLength = 100;
const controlCharacter = /\p{Cc}/u;
const opaqueId = /^[0-9A-Za-z_-]{1,100}$/;

export function checkName(issues: Issues, name: string): void {
  const length = [...name].length;
  if (name.trim() !== "" && length <= maxNameLength && !controlCharacter.test(name)) return;
  issues.add("name", `must be 1-${maxNameLength} characters without control characters`);
}

export function checkId(issues: Issues, path: string, id: string | undefined): void {
  if (id !== undefined && !opaqueId.test(id)) issues.add(path, "must be an id");
}

/** The date of a timestamp. An invalid date has the time `NaN`, which fails every comparison. */
export function dateOf(time: Timestamp | undefined): Date | undefined {
  return time === undefined ? undefined : timestampDate(time);
}
