import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ListNoticesResponseSchema } from "@muster/proto/sessions";
import { callerOf, forbidden, invalidRequest, isPlatform } from "@muster/rpc";
import type { Handler } from "./handler.ts";

const maxLimit = 1_000;

export const listNotices: Handler<"listNotices"> = async ({ noticed }, { limit }, call) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself takes events.");
  if (limit < 1 || limit > maxLimit) throw invalidRequest("limit", `must be from 1 to ${maxLimit}`);
  const found = await noticed.list(limit);
  return create(ListNoticesResponseSchema, {
    documents: found.map(({ _id: id, outbox, ...document }) => ({
      ...{ id, ...document },
      notices: outbox.map(({ at, data, ...notice }) => ({
        ...{ ...notice, at: timestampFromDate(at) },
        data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)])),
      })),
    })),
  });
};
