// The backend of the page: it alone has the API key, opens a session for each visitor, and gives the page a token for that
// session. Then the page talks to Muster itself.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const { MUSTER_URL = "http://127.0.0.1:8080", MUSTER_API_KEY, MODEL } = process.env;
const { PORT = "3000", HOST = "127.0.0.1", TOKEN_SECONDS = "900" } = process.env;
// Where browsers reach Muster, if that is another address than for this program.
const { MUSTER_PUBLIC_URL = MUSTER_URL } = process.env;
if (!MUSTER_API_KEY) {
  console.error("Set MUSTER_API_KEY to a key with the permissions sessions, mint-tokens and approve.");
  process.exit(1);
}

const page = new URL("page/", import.meta.url);
const files = {
  "/": [await readFile(new URL("index.html", page)), "text/html; charset=utf-8"],
  "/app.js": [await build("main.jsx"), "text/javascript; charset=utf-8"],
  "/style.css": [await readFile(new URL("style.css", page)), "text/css; charset=utf-8"],
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  `connect-src 'self' ${new URL(MUSTER_PUBLIC_URL).origin}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** The session of each visitor, by the cookie. In your program: by the user who is logged in. */
const sessions = new Map();
const maxVisitors = 10_000;

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error.message);
    send(response, 502, { error: "The chat is not available at the moment." });
  });
}).listen(Number(PORT), HOST, function listening() {
  console.log(`http://${HOST}:${this.address().port}`);
});

async function answer(request, response) {
  const { pathname } = new URL(request.url, "http://page");
  const file = files[pathname];
  if (request.method === "GET" && file !== undefined) {
    const [body, type] = file;
    response.writeHead(200, { ...headers, "content-type": type }).end(body);
  } else if (request.method === "POST" && (pathname === "/chat" || pathname === "/chat/new")) {
    if (!isOfThisPage(request.headers)) {
      return send(response, 403, { error: "Only the page of this server can open a chat. Reload it." });
    }
    request.resume();
    await giveAccess(request, response, pathname === "/chat/new");
  } else send(response, 404, { error: "This page does not exist." });
}

/** A page of another site must not open sessions. Browsers send `Sec-Fetch-Site` only over HTTPS, and to localhost. */
function isOfThisPage({ "sec-fetch-site": site, origin, host }) {
  if (site !== undefined) return site === "same-origin";
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** A new token for the visitor's session, which is opened first if there is none. */
async function giveAccess(request, response, isNew) {
  const known = /(?:^|; )visitor=([\w-]{32})/.exec(request.headers.cookie ?? "")?.[1];
  let visitor = known !== undefined && sessions.has(known) ? known : undefined;
  if (visitor === undefined || isNew) {
    visitor = randomBytes(24).toString("base64url");
    if (sessions.size >= maxVisitors) sessions.delete(sessions.keys().next().value);
    sessions.set(visitor, await openSession(visitor));
  }
  const { agentId, sessionId } = sessions.get(visitor);
  const { token, expiresAt } = await muster("POST", "/api/tokens", {
    agentId,
    sessionId,
    subject: visitor,
    // The visitor decides on the calls of their own chat.
    approve: true,
    ttlSeconds: Number(TOKEN_SECONDS),
  });
  response.setHeader("set-cookie", `visitor=${visitor}; HttpOnly; SameSite=Strict; Path=/`);
  send(response, 200, { url: MUSTER_PUBLIC_URL, sessionId, token, expiresAt });
}

/** Limits count what each subject spends. */
async function openSession(subject) {
  const { id: agentId } = await muster("GET", "/api/agents/browser-chat?by=slug");
  const input = MODEL ? { MODEL } : {};
  const { sessionId } = await muster("POST", "/api/agent-sessions", { agentId, input, subject });
  return { agentId, sessionId };
}

async function muster(method, path, body) {
  const response = await fetch(MUSTER_URL + path, {
    method,
    headers: { authorization: `Bearer ${MUSTER_API_KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${json.error} (${json.code})`);
  return json;
}

function send(response, status, json) {
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(json));
}

/** The page as one script. */
async function build(entry) {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(entry, page)),
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  return output[0].code;
}
