import { Muster } from "@muster/client";

/** The page's own server opens a session for the visitor, or finds theirs, and mints a token for it. */
async function ask(path) {
  const response = await fetch(path, { method: "POST" }).catch(() => undefined);
  if (response === undefined) throw new Error("The chat cannot be reached. Check your connection.");
  const body = await response.json();
  if (!response.ok) throw new Error(body.error);
  return body;
}

/** The visitor's session, or with `isNew` another one. Its token is replaced before it ends. */
export async function openAccess(isNew) {
  let first = await ask(isNew ? "/chat/new" : "/chat");
  const { url, sessionId } = first;
  const getToken = async () => {
    const access = first ?? (await ask("/chat"));
    first = undefined;
    if (access.sessionId !== sessionId) throw new Error("A new chat has replaced this one. Reload the page.");
    return access;
  };
  return { sessionId, muster: new Muster({ baseUrl: url, getToken }) };
}
