// Asks document-reader about files: node examples/document-reader/client.mjs "When is the rent due?" lease.pdf
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { Muster } from "@muster/client";

const [question = "What is this?", ...paths] = process.argv.slice(2);
const { MUSTER_URL: baseUrl = "http://127.0.0.1:8080", MUSTER_API_KEY: apiKey, MODEL } = process.env;
if (!apiKey) fail("Set MUSTER_API_KEY to the key that the first start of Muster printed.");

const mediaTypes = {
  ...{ ".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg" },
  ...{ ".gif": "image/gif", ".webp": "image/webp", ".json": "application/json", ".md": "text/markdown" },
};

const fileAt = async (path) => ({
  filename: basename(path),
  mediaType: mediaTypes[extname(path).toLowerCase()] ?? "text/plain",
  data: await readFile(path),
});

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

try {
  const files = await Promise.all(paths.map(fileAt));
  const muster = new Muster({ baseUrl, apiKey });
  const agent = { agentSlug: "document-reader", input: MODEL ? { MODEL } : {} };
  const session = await muster.sessions.create(agent);
  const DOCUMENTS = await session.upload(files);
  const turn = session.trigger("user-message", { QUESTION: question, DOCUMENTS });
  for await (const event of turn) if (event.type === "text-delta") process.stdout.write(event.delta);
  await turn.result();
  console.log();
} catch ({ message, code }) {
  fail(`\n${message} (${code})`);
}
