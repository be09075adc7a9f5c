import { Issues } from "./issues.ts";

const defaultSize = 50;
const defaultMaxSize = 100;
const cursorForm = /^[a-z]{2,5}_[0-9a-z]{1,60}$/;

/** A page of a list in the order of its ids. */
export interface Page {
  size: number;
  /** The last item of the previous page. Absent: from the beginning. */
  before?: string;
}

/** Lists are in the order of their ids, so the last id of a page is the cursor of the next. Throws INVALID_REQUEST. */
export function readPage(
  { pageSize, cursor }: { pageSize: number; cursor: string },
  maxSize = defaultMaxSize,
): Page {
  const issues = new Issues();
  const size = pageSize === 0 ? defaultSize : pageSize;
  if (size > maxSize) issues.add("limit", `must be a number from 1 to ${maxSize}`);
  const before = cursor === "" ? undefined : Buffer.from(cursor.slice(0, 200), "base64url").toString();
  if (before !== undefined && !cursorForm.test(before))
    issues.add("cursor", "must be the nextCursor of a list");
  issues.refuse();
  return { size, ...(before !== undefined && { before }) };
}

/** The items of a page that was read with one item more, and the cursor of the next page: empty on the last one. */
export function pageOf<Item extends { _id: string }>(
  items: Item[],
  size: number,
): { items: Item[]; nextCursor: string } {
  const page = items.slice(0, size);
  const last = page.at(-1);
  const nextCursor = items.length > size && last ? Buffer.from(last._id).toString("base64url") : "";
  return { items: page, nextCursor };
}
