import { invalidRequest } from "../../errors/from-any.ts";

const strongVersion = /^"([1-9][0-9]{0,8})"$/;

/** The entity tag of a version: its number in quotes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * The version that an If-Match header demands; undefined for none and for `*`. Throws INVALID_REQUEST for anything
 * but one strong tag of ours.
 */
export function versionOfIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header === "*") return undefined;
  const version = strongVersion.exec(header)?.[1];
  if (version !== undefined) return Number(version);
  throw invalidRequest("If-Match header", [
    { path: "headers.if-match", message: 'must be a version in quotes, like "3"' },
  ]);
}
