const opaqueTags = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Whether an If-None-Match header names the entity tag, strong or weak, alone or in a list, or any tag by `*`. What is
 * no tag names none, so that a header damaged on its way costs a full answer and no error.
 */
export function isNamedBy(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.match(opaqueTags)?.some((tag) => tag === etag) === true;
}
