/** A URL, or anything that looks like one: the scheme, then the rest. */
export const urlPattern = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'<>]+)/gi;

/** A URL without user name, password, query and fragment, any of which may contain a key. */
export function stripUrl(_url: string, scheme: string, rest: string): string {
  const query = rest.search(/[?#]/);
  const at = rest.lastIndexOf("@");
  // Either a password with a question mark or a query with an @: the two cannot be distinguished.
  if (query >= 0 && at > query) return `${scheme}[secret]`;
  return scheme + rest.slice(at + 1, query < 0 ? undefined : query);
}
