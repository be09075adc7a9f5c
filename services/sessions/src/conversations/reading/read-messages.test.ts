import assert from "node:assert/strict";
import { test } from "vitest";
import type { SessionDocument } from "../../store/session-document.ts";
import type { SessionPart } from "../history/history-reader.ts";
import { readAllMessages, readPage } from "./read-messages.ts";
import { type ShowRequest, showSession } from "./show-session.ts";

const chunkCount = 200;
const now = new Date(0);
const session: SessionDocument = {
  _id: "ses_1",
  projectId: "prj_1",
  agentId: "agt_1",
  agentVersion: 1,
  status: "active",
  input: "{}",
  head: [],
  tail: "[]",
  memory: "{}",
  createdAt: now,
  updatedAt: now,
  expiresAt: null,
  epoch: 0,
  lease: null,
  execution: null,
};

/**
 * A conversation in chunks of ten messages each, of which a user sees only the first, unless all have a text; its tail is
 * empty.
 */
function startWith(audience: "everyone" | "model", allHaveText = false) {
  const messageOf = (index: number, hasText: boolean) => ({
    id: `msg_${index}`,
    role: "user",
    status: "done",
    createdAt: now.toISOString(),
    thread: "main",
    audience: hasText ? "everyone" : audience,
    parts: hasText ? [{ type: "text", text: "Hello", status: "done" }] : [],
  });
  const parts: SessionPart[] = Array.from({ length: chunkCount }, (_, chunk) => {
    const messages = Array.from({ length: 10 }, (_, n) =>
      messageOf(chunk * 10 + n, allHaveText || chunk + n === 0),
    );
    const shownIds = messages.flatMap((message) => (message.audience === "everyone" ? [message.id] : []));
    return { text: JSON.stringify(messages), shownIds, isLast: false };
  });
  let readLength = 0;
  let openedChunks = 0;
  const sources = {
    histories: {
      partsOf: async function* () {
        for (const part of parts) {
          openedChunks += 1;
          yield part;
        }
        yield { text: "[]", isLast: true };
      },
      partsBefore: async function* () {
        yield { text: "[]", isLast: false };
        yield* parts.toReversed().map((part, index) => ({ ...part, isLast: index === chunkCount - 1 }));
      },
    },
    reader: {
      show: async (request: ShowRequest) => {
        readLength += request.texts.join("").length;
        return showSession(request);
      },
    },
  };
  const total = parts.reduce((sum, { text }) => sum + text.length, 0);
  return { sources, readings: () => readLength / total, openedChunks: () => openedChunks };
}

const wanted = { view: "ui", isLeft: false } as const;

async function idsIn(pieces: AsyncIterable<string>): Promise<string[]> {
  let json = "";
  for await (const piece of pieces) json += piece;
  return JSON.parse(`[${json}]`).map(({ id }: { id: string }) => id);
}

for (const audience of ["everyone", "model"] as const) {
  test(`a page behind very many messages that show nothing reads each of them a few times at most (for ${audience})`, async () => {
    const { sources, readings } = startWith(audience);
    const pieces = readPage(sources, session, { ...wanted, limit: 5, before: undefined });
    assert.ok((await idsIn(pieces)).includes("msg_0"));
    assert.ok(readings() <= 3, `${readings()} readings`);
  });
}

test("messages that users do not see do not gather in memory while all others are read", async () => {
  const { sources, readings } = startWith("model");
  assert.deepEqual(await idsIn(readAllMessages(sources, session, wanted)), ["msg_0"]);
  assert.ok(readings() < 0.1, `${readings()} readings`);
});

test("a whole conversation is sent while it is read: never more than two chunks of it are in memory", async () => {
  const { sources, openedChunks } = startWith("everyone", true);
  let json = "";
  for await (const piece of readAllMessages(sources, session, wanted)) {
    json += piece;
    const sentChunks = (json.match(/"msg_/g)?.length ?? 0) / 10;
    assert.ok(openedChunks() - sentChunks <= 2, `${openedChunks()} were read and ${sentChunks} sent`);
  }
  assert.equal(JSON.parse(`[${json}]`).length, 10 * chunkCount);
});
