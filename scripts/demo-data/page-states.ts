/**
 * Programs that put a page into a state by other answers to its requests, before its own program begins. The credential's
 * answer stays, so that each page is that of the user.
 */
export const pageStates: Readonly<Record<string, string>> = {
  "10000-rows": answering("many"),
  refused: answering(
    `() => refusal(503, "UNAVAILABLE", "The store does not respond. Try again in a moment.")`,
  ),
  deleted: answering(`() => refusal(404, "NOT_FOUND", "It does not exist in this project.")`),
  lost: answering(`() => Promise.reject(new TypeError("Failed to fetch"))`),
  loading: answering("() => new Promise(() => undefined)"),
  forbidden: `${answering(`() => refusal(403, "FORBIDDEN", "This key lacks a permission.")`)}
    onCredential = (credential) => ({ ...credential, permissions: [] });`,
};

/** `answer`: an expression of a function from the address and the server's response to the response of the page. */
function answering(answer: string): string {
  return String.raw`
    const send = window.fetch.bind(window);
    let onCredential = (credential) => credential;
    const json = (status, body) => new Response(JSON.stringify(body), { status });
    const refusal = (status, code, error) => json(status, { error, code, requestId: "req_01m8xq4t0s" });
    const copyOf = (row, at) => {
      const copy = { ...row };
      for (const [name, value] of Object.entries(row)) {
        if (typeof value !== "string") continue;
        if (/^(id|slug|agentId|sessionId|approvalId|threadId)$/.test(name)) copy[name] = value + at;
        if (/^(name|title)$/.test(name) && at % 3 === 1) copy[name] = (value + ", longer than others, ").repeat(6);
      }
      return copy;
    };
    // One session, one agent, and teammates whose schedules and hooks are read one by one, are not copied.
    const isKept = ({ pathname }) => /agent-sessions\/|api\/agents\/|threads\/|(providers|prebuilt)$/.test(pathname) ||
      (location.pathname.includes("/automation") && pathname.endsWith("/agents"));
    const many = async (url, init) => {
      const from = Number(url.searchParams.get("cursor") ?? 0);
      url.searchParams.delete("cursor");
      const response = await send(url, init);
      if (!response.ok || isKept(url)) return response;
      const body = await response.json();
      const lists = Object.entries(body).filter(([, value]) => typeof value?.[0] === "object");
      if (lists.length !== 1) return json(200, body);
      const [[name, rows]] = lists;
      const limit = Number(url.searchParams.get("limit") ?? ("nextCursor" in body ? 50 : 10_000));
      const to = Math.min(from + limit, 10_000);
      const copies = Array.from({ length: to - from }, (_, at) => copyOf(rows[(from + at) % rows.length], from + at));
      return json(200, { ...body, [name]: copies, ...("nextCursor" in body && { nextCursor: to < 10_000 ? String(to) : null }) });
    };
    const answer = ${answer};
    window.fetch = async (input, init) => {
      const url = new URL(input, location.href);
      if (url.pathname === "/api/changes" || (init?.method ?? "GET") !== "GET") return send(input, init);
      if (url.pathname !== "/api/credential") return answer(url, init);
      const response = await send(input, init);
      return response.ok ? json(200, onCredential(await response.json())) : response;
    };`;
}
