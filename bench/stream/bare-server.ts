import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type ModelMessage, pipeUIMessageStreamToResponse, streamText, toUIMessageStream } from "ai";
import { listen } from "../support/provider.ts";

// What many would build instead: the AI SDK behind node:http, with each conversation in SQLite. The database is on disk
// before the client sees the end of a reply, as with Muster. There are no keys, no checks, no resuming, no logs.
// Usage: node bench/stream/bare-server.ts <provider port> <database file>; prints its port.

const [providerPort, file = ":memory:"] = process.argv.slice(2);
const provider = createOpenAICompatible({
  name: "local",
  baseURL: `http://127.0.0.1:${providerPort}/v1`,
  includeUsage: true,
});

const database = new DatabaseSync(file);
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
database.exec("CREATE TABLE IF NOT EXISTS messages (session TEXT, message TEXT)");
database.exec("CREATE INDEX IF NOT EXISTS by_session ON messages (session)");
const select = database.prepare("SELECT message FROM messages WHERE session = ? ORDER BY rowid");
const insert = database.prepare("INSERT INTO messages VALUES (?, ?), (?, ?)");

interface Chat {
  session: string;
  model: string;
  message: string;
}

async function reply(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { session, model, message }: Chat = JSON.parse(await text(incoming));
  const earlier: ModelMessage[] = select.all(session).map((row) => JSON.parse(String(row.message)));
  const user: ModelMessage = { role: "user", content: message };
  const result = streamText({
    model: provider(model),
    messages: [...earlier, user],
    onEnd({ text: content }) {
      const assistant: ModelMessage = { role: "assistant", content };
      insert.run(session, JSON.stringify(user), session, JSON.stringify(assistant));
    },
  });
  await pipeUIMessageStreamToResponse({
    response: outgoing,
    stream: toUIMessageStream({ stream: result.stream }),
  });
}

const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
  if (incoming.method !== "POST") outgoing.end("ok");
  else
    reply(incoming, outgoing).catch((error) => {
      console.error(error);
      outgoing.destroy();
    });
});
console.log(await listen(server));
