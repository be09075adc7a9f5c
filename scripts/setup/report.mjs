/** A problem that the user can fix. */
export class SetupError extends Error {}

/** Standard error, so that a script's own output stays clean. */
export function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}

export function secondsSince(startMs) {
  return `${((Date.now() - startMs) / 1000).toFixed(1)} s`;
}
