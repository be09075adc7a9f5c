// Asks document-reader about files: node examples/document-reader/client.mjs "When is the rent due?" lease.pdf
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";

const [question = "What is this?", ...paths] = process.argv.slice(2);
const { MUSTER_URL = "http://127.0.0.1:8080", MUSTER_API_KEY, MODEL } = process.env;
if (!MUSTER_API_KEY) fail("Set MUSTER_API_KEY to the key that the first start of Muster printed.");

const mediaTypes = {
  ...{ ".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg" },
  ...{ ".gif": "image/gif", ".webp": "image/webp", ".json": "application/json", ".md": "text/markdown" },
};

async function send(url, options) {
  const response = await fetch(url, options).catch((error) =>
    fail(`Cannot reach Muster at ${MUSTER_URL}: ${error.cause?.code ?? error.message}`),
  );
  if (response.ok) return response;
  const { error = "The server failed.", code = response.status } = await response.json().catch(() => ({}));
  return fail(`${error} (${code})`);
}

function call(method, path, body) {
  const headers = { authorization: `Bearer ${MUSTER_API_KEY}`, "content-type": "application/json" };
  return send(MUSTER_URL + path, { method, headers, body: body && JSON.stringify(body) });
}

/** Asks for upload URLs, sends the files, and returns references to them. */
async function upload(sessionId) {
  const contents = await Promise.all(paths.map((path) => readFile(path)));
  const files = paths.map((path, index) => ({
    filename: basename(path),
    mediaType: mediaTypes[extname(path).toLowerCase()] ?? "text/plain",
    size: contents[index].length,
  }));
  if (files.length === 0) return [];
  const issued = await (await call("POST", "/api/files/upload-urls", { sessionId, files })).json();
  return Promise.all(
    issued.files.map(async ({ id, uploadUrl, downloadUrl }, index) => {
      const { mediaType } = files[index];
      // The URL is the credential: no key is sent with it.
      await send(uploadUrl, {
        method: "PUT",
        headers: { "content-type": mediaType },
        body: contents[index],
      });
      return { id, url: downloadUrl, ...files[index] };
    }),
  );
}

async function* events(response) {
  let buffer = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (buffer + chunk).split("\n\n");
    buffer = frames.pop();
    for (const frame of frames) if (frame.startsWith("data: {")) yield JSON.parse(frame.slice(6));
  }
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

const { id: agentId } = await (await call("GET", "/api/agents/document-reader?by=slug")).json();
const session = { agentId, input: MODEL ? { MODEL } : {} };
const { sessionId } = await (await call("POST", "/api/agent-sessions", session)).json();
const input = { QUESTION: question, DOCUMENTS: await upload(sessionId) };
const turn = { triggerName: "user-message", input };
for await (const event of events(await call("POST", `/api/agent-sessions/${sessionId}/trigger`, turn))) {
  if (event.type === "text-delta") process.stdout.write(event.delta);
  if (event.type === "error") fail(`\n${event.message}`);
}
console.log();
