/**
 * Whether an Accept header allows the media type. The most specific matching range decides; `q=0` excludes it.
 */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header.trim() === "" || header === "*/*") return true;
  const anySubtype = `${mediaType.slice(0, mediaType.indexOf("/"))}/*`;
  const ranges = new Map(header.split(",").map(parseRange));
  return ranges.get(mediaType) ?? ranges.get(anySubtype) ?? ranges.get("*/*") ?? false;
}

/** Whether a user may be reading, who opened the address in a browser: only then is HTML named. */
export function prefersPage(header: string | undefined): boolean {
  return new Map((header ?? "").split(",").map(parseRange)).get("text/html") === true;
}

function parseRange(text: string): [range: string, wanted: boolean] {
  const [range = "", ...parameters] = text.toLowerCase().split(";");
  const quality = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith("q="));
  return [range.trim(), quality === undefined || Number(quality.slice(2)) > 0];
}
