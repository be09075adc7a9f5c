import { create } from "@bufbuild/protobuf";
import { CountRequestsResponseSchema } from "@muster/proto/auth";
import { callerOf, forbidden, Issues, isPlatform } from "@muster/rpc";
import { restOfMinuteMs } from "../store/request-counts.ts";
import type { Handler } from "./handler.ts";

const maxCounts = 1_000;
const maxBucketLength = 200;
const maxTotal = 0xffffffff;

export const countRequests: Handler<"countRequests"> = async (context, { counts }, call) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself counts requests.");
  const issues = new Issues();
  if (counts.length === 0 || counts.length > maxCounts)
    issues.add("counts", `must have 1-${maxCounts} entries`);
  for (const [index, { bucket }] of counts.entries()) {
    if (bucket !== "" && bucket.length <= maxBucketLength) continue;
    issues.add(`counts.${index}.bucket`, `must be 1-${maxBucketLength} characters`);
  }
  issues.refuse();
  const nowMs = context.clock.now();
  const totals = await context.requestCounts.add(nowMs, counts);
  return create(CountRequestsResponseSchema, {
    totals: totals.map((total) => Math.min(total, maxTotal)),
    remainingMs: restOfMinuteMs(nowMs),
  });
};
