import type { Static } from "typebox";
import type { followUpBody } from "../../schemas/workforce.ts";

/** The fields of the RPC's request for the message of a body. */
export function messageFields({ message, files = [] }: Static<typeof followUpBody>) {
  return {
    message,
    files: files.map(({ id, mediaType, url, filename, size }) => ({
      id,
      mediaType,
      url,
      ...(filename !== undefined && { filename }),
      ...(size !== undefined && { size: BigInt(size) }),
    })),
  };
}
