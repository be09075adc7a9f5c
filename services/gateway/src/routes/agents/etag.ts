import { invalidRequest } from "../../errors/from-any.ts";

/** The entity tag of a version: its number in quotes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

const tag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * What If-Match names: anything, or one of these tags, as they were sent. Undefined when it was not sent. Throws
 * INVALID_REQUEST for anything but `*` or a list of tags.
 */
export function readIfMatch(header: string | undefined): "*" | readonly string[] | undefined {
  if (header === undefined) return undefined;
  const tags = header
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  if (tags.length === 1 && tags[0] === "*") return "*";
  if (tags.length > 0 && tags.every((item) => tag.test(item))) return tags;
  throw invalidRequest("If-Match header", [
    { path: "headers.if-match", message: 'must be a version in quotes, like "3", or *' },
  ]);
}

const strongVersion = /^"([1-9][0-9]{0,8})"$/;

/** The versions that If-Match takes. Weak tags, and tags that are not ours, match none. */
export function versionsIn(tags: readonly string[]): number[] {
  return tags.flatMap((item) => strongVersion.exec(item)?.[1] ?? []).map(Number);
}
