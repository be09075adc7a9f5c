/**
 * `<SHA-256 of the content>.<epoch of the holder who wrote it>`. A holder only deletes files of its own epoch or older ones that
 * nothing refers to; so one who was paused and continues after it was replaced cannot delete what its successor wrote.
 */
export const blobNamePattern = /^[0-9a-f]{64}\.\d{1,15}$/;

export function blobName(sha256: string, epoch: number): string {
  return `${sha256}.${epoch}`;
}

export function hashInName(name: string): string {
  return name.slice(0, 64);
}

export function epochInName(name: string): number {
  return Number(name.slice(65));
}
