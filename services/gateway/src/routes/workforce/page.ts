/** The fields of the RPC's request for the page that a query asks for. */
export function pageOf({ limit, cursor = "" }: { limit?: string; cursor?: string }) {
  return { cursor, ...(limit !== undefined && { pageSize: Number(limit) }) };
}
