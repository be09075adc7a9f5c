import { usageError } from "../exit.ts";

const defaultUrl = "http://127.0.0.1:8080";

/** The address of the server without a slash at its end. */
export function readServerUrl(text: string | undefined): string {
  const given = text === undefined || text === "" ? defaultUrl : text;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.search !== "" ||
    url.hash !== ""
  )
    throw usageError(
      `${JSON.stringify(given)} is not the address of a server. Set MUSTER_URL or --url, such as ${defaultUrl}.`,
    );
  return url.href.replace(/\/+$/, "");
}

/** The value is never shown: whoever reads the screen or the log of a build should not learn it. */
export function readApiKey(text: string | undefined): string {
  if (text === undefined || text === "")
    throw usageError("Set MUSTER_API_KEY to a key of this server. The first start of Muster prints one.");
  if (!/^[\x21-\x7e]{1,4096}$/.test(text))
    throw usageError("MUSTER_API_KEY is no key: it has spaces, line breaks or letters that no key has.");
  return text;
}

/** The project to act in; undefined for that of the key. */
export function readProject(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^[\w-]{1,100}$/.test(text))
    throw usageError(`${JSON.stringify(text)} is not the id of a project. Set MUSTER_PROJECT or --project.`);
  return text;
}
