import { usageError } from "../exit.ts";

const defaultUrl = "http://127.0.0.1:8080";

/** Returns the server's address without a trailing slash. */
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
      `${JSON.stringify(given)} is not a valid server address. Set MUSTER_URL or --url to an address such as ${defaultUrl}.`,
    );
  return url.href.replace(/\/+$/, "");
}

/** Messages never contain the value: the screen and build logs have other readers. `variable`: its source. */
export function readApiKey(text: string | undefined, variable = "MUSTER_API_KEY"): string {
  if (text === undefined || text === "")
    throw usageError(
      `${variable} is not set. Set it to an API key of this server; its first start prints one.`,
    );
  if (!/^[\x21-\x7e]{1,4096}$/.test(text))
    throw usageError(
      `${variable} is not a valid API key: it contains spaces, line breaks or other characters that keys never have.`,
    );
  return text;
}

/** Returns the project to act in; undefined for the project of the key. */
export function readProject(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^[\w-]{1,100}$/.test(text))
    throw usageError(
      `${JSON.stringify(text)} is not a valid project id. Set MUSTER_PROJECT or --project to the id of a project.`,
    );
  return text;
}
