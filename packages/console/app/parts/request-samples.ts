import { chosenProject, type Query } from "../api.ts";

/** A command that reads an address of this server with the key in the shell of the reader. */
export function curlOf(path: string, query: Query = {}): string {
  const address = new URL(path, location.origin);
  for (const [name, value] of knownIn(query)) address.searchParams.append(name, String(value));
  const project = chosenProject === null ? "" : ` -H 'X-Project-Id: ${chosenProject}'`;
  return `curl -H "Authorization: Bearer $MUSTER_API_KEY"${project} '${address.href.replaceAll("'", "%27")}'`;
}

/** The same as a program that uses the client package. */
export function typescriptOf(path: string, query: Query = {}): string {
  const options = [
    `baseUrl: ${JSON.stringify(location.origin)}`,
    "apiKey: process.env.MUSTER_API_KEY",
    ...(chosenProject === null ? [] : [`project: ${JSON.stringify(chosenProject)}`]),
  ];
  const known = Object.fromEntries(knownIn(query));
  const asked = Object.keys(known).length === 0 ? "" : `, { query: ${JSON.stringify(known)} }`;
  return [
    'import { Muster } from "@muster/client";',
    "",
    `const muster = new Muster({ ${options.join(", ")} });`,
    `console.log(await muster.request("GET", ${JSON.stringify(path)}${asked}));`,
    "",
  ].join("\n");
}

function knownIn(query: Query): [name: string, value: string | number][] {
  return Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}
