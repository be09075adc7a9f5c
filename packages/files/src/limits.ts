/** What one request for upload addresses may ask for. Sizes are in bytes. */
export const fileLimits = {
  files: 20,
  fileBytes: 10 * 1000 * 1000,
  requestBytes: 50 * 1000 * 1000,
  filenameLength: 255,
  uploadLifetimeMs: 15 * 60_000,
  downloadLifetimeMs: 24 * 60 * 60_000,
} as const;

/** Types that are safe to serve with the sandboxing headers of a download. */
export const mediaTypes = [
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
  "application/pdf",
  "text/plain",
  "text/markdown",
  "application/json",
] as const;

export function isMediaType(text: string): text is (typeof mediaTypes)[number] {
  return mediaTypes.some((type) => type === text);
}
