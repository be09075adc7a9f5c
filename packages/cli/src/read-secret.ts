import { usageError } from "./exit.ts";
import type { Io } from "./process-io.ts";

/** Far more than any secret, so that a wrong file does not fill the memory. */
const maxBytes = 64 * 1024;

/**
 * A secret from standard input, where no other user of the machine sees it. `name`: the kind of secret, such as
 * `token`.
 */
export async function readSecret({ stdin }: Io, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > maxBytes) throw usageError(`Standard input is too long to be a ${name}.`);
    chunks.push(piece);
  }
  const secret = Buffer.concat(chunks).toString().trim();
  if (secret !== "") return secret;
  throw usageError(`Standard input contains no ${name}.`);
}

/** A secret from an environment variable. */
export function variableOf({ env }: Io, variable: string): string {
  const value = env[variable]?.trim();
  if (value) return value;
  throw usageError(`The environment variable ${variable} is not set.`);
}
