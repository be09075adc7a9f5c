import { createGuard, type GuardOptions, parseUrl } from "./guard.ts";

/**
 * A check of URLs that are stored now and fetched later with the same options. It resolves no name, so it accepts some URLs
 * that the fetch refuses. Returns the parsed URL; throws FetchProblem.
 */
export function createUrlCheck(options: GuardOptions = {}): (text: string) => URL {
  const guard = createGuard(options);
  return (text) => {
    const url = parseUrl(text);
    guard.check(url);
    return url;
  };
}
