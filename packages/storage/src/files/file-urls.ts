/** The parts of a file's URL. */
export interface FileUrl {
  id: string;
  signature: string;
}

const path = "/api/files";
const idInPath = /\/api\/files\/([A-Za-z0-9_-]{1,100})$/;

/** Path and query of a file, to upload or download it. The signature is in the query, which no log contains. */
export function pathOfFile({ id, signature }: FileUrl): string {
  return `${path}/${id}?signature=${signature}`;
}

/**
 * Undefined if the text does not have the form of such a URL. Proxies can add a prefix to the path. Clients follow the URL, so
 * it must be one of the web: `javascript:` can have the same path.
 */
export function readFileUrl(text: string): FileUrl | undefined {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  const [, id] = idInPath.exec(url.pathname) ?? [];
  const signature = url.searchParams.get("signature") ?? undefined;
  return id === undefined || signature === undefined ? undefined : { id, signature };
}
