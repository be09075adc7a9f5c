import { chosenProject } from "../../api.ts";

/** A command that reads an address of this server with the key in the shell of the reader. */
export function curlOf(path: string): string {
  const project = chosenProject === null ? "" : ` -H 'X-Project-Id: ${chosenProject}'`;
  return `curl -H "Authorization: Bearer $MUSTER_API_KEY"${project} '${location.origin}${path}'`;
}
