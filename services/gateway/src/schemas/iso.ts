import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { internalProblem } from "../edge/errors/from-rpc.ts";

/** A time that the service always sets, in ISO 8601. */
export function isoOf(time: Timestamp | undefined): string {
  const iso = optionalIsoOf(time);
  if (iso === null) throw internalProblem(new Error("a time that is always set is missing"));
  return iso;
}

/** ISO 8601, or null for a time that is not set. */
export function optionalIsoOf(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampDate(time).toISOString();
}
