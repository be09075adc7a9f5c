/** The entity tag of a version: its number in quotes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

const strongVersion = /^"([1-9][0-9]{0,8})"$/;

/** The versions in If-Match. Weak tags and unknown tags match none. */
export function versionsIn(tags: readonly string[]): number[] {
  return tags.flatMap((tag) => strongVersion.exec(tag)?.[1] ?? []).map(Number);
}
