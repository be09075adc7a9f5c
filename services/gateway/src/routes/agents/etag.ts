import { invalidRequest } from "../../errors/from-any.ts";

/** The entity tag of a version: its number in quotes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** What a conditional header names: anything, or one of these tags (opaque, as quoted, weak ones with `W/`). */
export type TagCondition = "*" | readonly string[];

const tag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * Reads If-Match or If-None-Match; undefined when it was not sent. Throws INVALID_REQUEST for anything but `*` or
 * a list of tags.
 */
export function readTags(name: "if-match" | "if-none-match", header: string | undefined) {
  if (header === undefined) return undefined;
  const tags = header
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  if (tags.length === 1 && tags[0] === "*") return "*";
  if (tags.length > 0 && tags.every((item) => tag.test(item))) return tags;
  throw invalidRequest(`${name} header`, [
    { path: `headers.${name}`, message: 'must be a version in quotes, like "3", or *' },
  ]);
}

const strongVersion = /^"([1-9][0-9]{0,8})"$/;

/** The versions that If-Match takes. Weak tags, and tags that are not ours, match none. */
export function versionsIn(tags: readonly string[]): number[] {
  return tags.flatMap((item) => strongVersion.exec(item)?.[1] ?? []).map(Number);
}

/** Whether If-None-Match names this version; here weak tags count as strong ones. */
export function namesVersion(condition: TagCondition | undefined, version: number): boolean {
  if (condition === undefined) return false;
  return condition === "*" || condition.some((item) => item.replace(/^W\//, "") === etagOf(version));
}
