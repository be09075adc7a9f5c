/** Clients follow URLs of files and sources, so `javascript:` and the like must not reach them. */
export function isWebUrl(url: string): boolean {
  return ["http:", "https:"].includes(URL.parse(url)?.protocol ?? "");
}
