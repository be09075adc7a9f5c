import type { Static } from "@muster/wire/schema";
import { toFileReferences } from "../../schemas/to-file-references.ts";
import type { followUpBody } from "../../schemas/workforce.ts";

/** The fields of the RPC's request for the message of a body. */
export function messageFields({ message, files }: Static<typeof followUpBody>) {
  return { message, files: toFileReferences(files) };
}
