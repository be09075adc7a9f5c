import assert from "node:assert/strict";
import { Muster, MusterError } from "@muster/client";
import { type Chats, calls, startChats } from "@muster/local/testing/chats";
import { type SessionOptions, type SessionState, SessionStore } from "@muster/react";
import { type TestScope, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, beforeEach, describe, test } from "vitest";

/** Without the times of messages, which no stream contains. */
const shown = ({ messages }: Pick<SessionState, "messages">) =>
  messages.map(({ id, role, status, parts }) => ({ id, role, status, parts }));
const textsOf = ({ messages }: Pick<SessionState, "messages">) =>
  messages.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? part.text : [])).join(""));

describe("the store of a session", () => {
  const scope = suiteScope();
  let chats: Chats;
  let muster: Muster;
  let sessionId: string;
  /** The requests, and whether their reader has left. */
  const requests: Request[] = [];
  /** Answers requests instead of the server. */
  let intercept: (request: Request) => Promise<Response> | undefined = () => undefined;

  beforeAll(async () => {
    chats = await startChats(scope);
    const counted: typeof fetch = (input, init) => {
      const request = new Request(input, init);
      requests.push(request);
      return intercept(request) ?? fetch(request);
    };
    muster = new Muster({ baseUrl: chats.url, apiKey: chats.key, fetch: counted });
  });
  beforeEach(async () => {
    intercept = () => undefined;
    ({ id: sessionId } = await muster.sessions.create({ agentId: chats.agentId }));
    requests.length = 0;
  });

  /** A store with a subscriber, as a mounted component is. */
  function mount(t: TestScope, options: SessionOptions = {}) {
    const store = new SessionStore(muster, sessionId, options);
    t.onTestFinished(store.subscribe(() => {}));
    return {
      store,
      is: (description: string, check: (state: SessionState) => boolean) =>
        until(description, () => check(store.getSnapshot())),
    };
  }

  const isReady = ({ status }: SessionState) => status === "ready";

  test("a page that is loaded in the middle of a turn, or of its continuation, shows the same as the one that began it", async (t) => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    chats.provider.add(
      { parts: [{ reasoning: "Hm." }, { text: "Looking " }, { until: first.promise }, { text: "it up." }] },
      calls("get-order", "c1"),
      { parts: [{ text: "Order " }, { until: second.promise }, { text: "shipped." }] },
    );
    const tools = { "get-order": () => ({ status: "shipped" }) };
    const sender = mount(t, { tools });
    await sender.is("the messages are read", isReady);
    assert.equal(await sender.store.send({ TEXT: "Hello" }), true);
    await sender.is("the reply begins", (state) => /^Looking/.test(textsOf(state)[1] ?? ""));
    const session = muster.sessions.open(sessionId);
    await until("a part of it is stored", async () => {
      const read = await session.get({ format: "ui" });
      return read.status === "active" && textsOf(read)[1] === "Looking ";
    });
    const reader = mount(t);
    await reader.is("it shows the beginning", (state) => /^Looking/.test(textsOf(state)[1] ?? ""));
    assert.deepEqual(textsOf(reader.store.getSnapshot()), ["Hello", "Looking "]);
    first.resolve();
    await reader.is("its end as well", isReady);
    await sender.is("the turn ends", isReady);
    assert.deepEqual(shown(reader.store.getSnapshot()), shown(sender.store.getSnapshot()));

    await sender.store.send({ TEXT: "Where is order 7?" });
    await sender.is("it continues", (state) => /^Order/.test(textsOf(state)[3] ?? ""));
    const later = mount(t, { tools });
    await later.is("it shows the beginning", (state) => /^Order/.test(textsOf(state)[3] ?? ""));
    second.resolve();
    await later.is("its end as well", isReady);
    await sender.is("the turn ends", isReady);
    assert.deepEqual(shown(later.store.getSnapshot()), shown(sender.store.getSnapshot()));
    assert.deepEqual(textsOf(later.store.getSnapshot()).slice(2), ["Where is order 7?", "Order shipped."]);
    const stored = await session.get({ format: "ui" });
    assert.ok(stored.status === "active");
    assert.deepEqual(shown(later.store.getSnapshot()), shown(stored));
  });

  test("a call waits for its approval and for the page's answer, also after the page was loaded again", async (t) => {
    chats.provider.add(calls("refund", "c2"), { parts: [{ text: "Done." }] });
    const before = mount(t);
    await before.is("the messages are read", isReady);
    await before.store.send({ TEXT: "Refund it" });
    await before.is("it asks", ({ approvals, status }) => approvals.length === 1 && status === "waiting");
    const { store, is } = mount(t);
    await is("it asks there, too", ({ approvals, status }) => approvals.length === 1 && status === "waiting");
    const [approval] = store.getSnapshot().approvals;
    assert.deepEqual([approval?.title, approval?.args], ["Refund 7", { number: "7" }]);
    await store.decide(approval?.approvalId ?? "", { decision: "approve" });
    await is("the page is asked for a result", ({ toolCalls }) => toolCalls.length === 1);
    assert.deepEqual(store.getSnapshot().approvals, []);
    store.answer(store.getSnapshot().toolCalls[0]?.toolCallId ?? "", { result: "paid" });
    await is("the turn ends", isReady);
    assert.match(JSON.stringify(store.getSnapshot().messages), /"result":"paid".*Done\./);
  });

  test("a failed turn is repeated in its place, and a request whose outcome is unknown by reading the session", async (t) => {
    chats.provider.add({ status: 400, error: { message: "Too long" } }, { parts: [{ text: "Better." }] });
    const { store, is } = mount(t);
    await is("the messages are read", isReady);
    await store.send({ TEXT: "Hello" });
    await is("the turn fails", ({ status }) => status === "error");
    assert.ok(store.getSnapshot().error instanceof MusterError);
    await store.retry();
    await is("it succeeds", isReady);
    assert.deepEqual(textsOf(store.getSnapshot()), ["Hello", "Better."]);
    assert.equal(store.getSnapshot().error, undefined);

    const cut = new Muster({
      ...{ baseUrl: chats.url, apiKey: chats.key },
      fetch: (input, init) =>
        init?.method === "POST" ? Promise.reject(new TypeError("cut")) : fetch(input, init),
    });
    const lost = new SessionStore(cut, sessionId);
    t.onTestFinished(lost.subscribe(() => {}));
    await until("the messages are read", () => isReady(lost.getSnapshot()));
    assert.equal(await lost.send({ TEXT: "Again" }), false);
    await until("it fails", () => lost.getSnapshot().status === "error");
    await lost.retry();
    await until("the session is read", () => isReady(lost.getSnapshot()));
    assert.deepEqual(shown(lost.getSnapshot()), shown(store.getSnapshot()));
  });

  test("a reply that cannot be read to its end is read again, at once if its events are gone, and never repeated", async (t) => {
    for (const [status, code] of [
      [403, "FORBIDDEN"],
      [410, "EVENTS_GONE"],
    ] as const) {
      const hold = Promise.withResolvers<void>();
      chats.provider.add({ parts: [{ text: "Long " }, { until: hold.promise }, { text: "reply." }] });
      const cut = new AbortController();
      intercept = (request) => {
        if (request.url.includes("/events"))
          return Promise.resolve(Response.json({ error: "No.", code }, { status }));
        const signal = AbortSignal.any([request.signal, cut.signal]);
        return request.url.endsWith("/trigger") ? fetch(new Request(request, { signal })) : undefined;
      };
      ({ id: sessionId } = await muster.sessions.create({ agentId: chats.agentId }));
      const { store, is } = mount(t);
      await is("the messages are read", isReady);
      await store.send({ TEXT: "Hello" });
      await is("the reply begins", (state) => textsOf(state)[1] === "Long ");
      cut.abort();
      if (code === "EVENTS_GONE") hold.resolve();
      else {
        await is("reading fails", ({ error }) => error instanceof MusterError && error.code === code);
        intercept = () => undefined;
        hold.resolve();
        await store.retry();
      }
      await is("the whole reply is shown", (state) => isReady(state) && textsOf(state)[1] === "Long reply.");
      assert.equal(store.getSnapshot().error, undefined);
      assert.deepEqual(textsOf(store.getSnapshot()), ["Hello", "Long reply."]);
    }
  });

  test("a reply notifies once per frame, however many pieces it has, and messages that have ended stay the same objects", async (t) => {
    const words = "word ".repeat(200);
    chats.provider.add({ parts: [{ text: "First." }] }, { parts: [{ text: words }] });
    const frames: Array<() => void> = [];
    const { store, is } = mount(t, { frame: (callback) => frames.push(callback) });
    await is("the messages are read", isReady);
    await store.send({ TEXT: "One" });
    await is("the first turn ends", isReady);
    const { messages } = store.getSnapshot();
    let changes = 0;
    const leave = store.subscribe(() => {
      changes += 1;
    });
    t.onTestFinished(leave);
    await store.send({ TEXT: "Two" });
    await is("the second turn ends", isReady);
    assert.equal(textsOf(store.getSnapshot())[3], words);
    assert.ok(changes < 10, `${changes} changes without a frame`);
    for (const [index, message] of messages.entries())
      assert.equal(store.getSnapshot().messages[index], message);
  });

  test("a strict mode that subscribes twice sends no request twice, and a page that leaves reads no more, while the turn continues", async () => {
    const hold = Promise.withResolvers<void>();
    chats.provider.add({ parts: [{ text: "Still " }, { until: hold.promise }, { text: "here." }] });
    const store = new SessionStore(muster, sessionId);
    assert.equal(store.getServerSnapshot().status, "loading");
    assert.equal(requests.length, 0, "a server that renders it sends nothing");
    store.subscribe(() => {})();
    const leave = store.subscribe(() => {});
    await until("the messages are read", () => isReady(store.getSnapshot()));
    assert.deepEqual(
      requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`),
      [`GET /api/agent-sessions/${sessionId}`],
    );
    await store.send({ TEXT: "Hello" });
    await until("the reply begins", () => textsOf(store.getSnapshot())[1] === "Still ");
    leave();
    await until("its request has ended", () => requests.at(-1)?.signal.aborted === true);
    hold.resolve();
    const session = muster.sessions.open(sessionId);
    await until("the turn ends", async () => {
      const read = await session.get({ format: "ui" });
      return read.status === "active" && textsOf(read)[1] === "Still here.";
    });
    assert.equal(textsOf(store.getSnapshot())[1], "Still ");
  });

  test("a turn that the user stops ends, and the next message begins another", async (t) => {
    chats.provider.add(
      { parts: [{ text: "On and " }, { until: new Promise(() => {}) }] },
      { parts: [{ text: "Yes?" }] },
    );
    const { store, is } = mount(t);
    await is("the messages are read", isReady);
    await store.send({ TEXT: "Talk" });
    await is("the reply begins", (state) => textsOf(state)[1] === "On and ");
    assert.equal(await store.send({ TEXT: "Too early" }), false);
    await store.stop();
    await is("it ends", isReady);
    assert.equal(store.getSnapshot().messages[1]?.status, "done");
    await store.send({ TEXT: "You there?" });
    await is("the next turn ends", isReady);
    assert.deepEqual(textsOf(store.getSnapshot()).slice(2), ["You there?", "Yes?"]);
  });

  test("a turn that is stopped before the server has begun it ends, and a stop that fails is shown and can be repeated", async (t) => {
    const endless = { parts: [{ text: "On and " }, { until: new Promise<void>(() => {}) }] };
    chats.provider.add(endless, endless);
    const { store, is } = mount(t);
    await is("the messages are read", isReady);
    const late = Promise.withResolvers<void>();
    intercept = (request) =>
      request.url.endsWith("/trigger") ? late.promise.then(() => fetch(request)) : undefined;
    const begun = store.send({ TEXT: "Talk" });
    await store.stop();
    late.resolve();
    assert.equal(await begun, true);
    await is("it ends", isReady);

    await store.send({ TEXT: "Talk again" });
    // A lost connection is repeated for a minute.
    intercept = (request) =>
      request.url.endsWith("/cancel") ? Promise.resolve(new Response("", { status: 403 })) : undefined;
    await store.stop();
    assert.ok(store.getSnapshot().error instanceof MusterError);
    await is("the reply is written nevertheless", ({ messages }) => messages.length === 4);
    intercept = () => undefined;
    await store.retry();
    await is("it ends", isReady);
    assert.equal(store.getSnapshot().error, undefined);
  });

  test("an upload shows its progress and its outcome, becomes input, and can be removed", async (t) => {
    chats.provider.add({ parts: [{ text: "Read." }] });
    const { store, is } = mount(t);
    await is("the messages are read", isReady);
    const file = await store.upload(new File(["Nine to five."], "hours.txt", { type: "text/plain" }));
    const refused = await store.upload(new File(["x"], "run.exe", { type: "application/x-msdownload" }));
    assert.equal(refused, undefined);
    const [done, failed] = store.getSnapshot().uploads;
    assert.deepEqual(
      [done?.name, done?.sentBytes, done?.totalBytes, done?.file],
      ["hours.txt", 13, 13, file],
    );
    assert.ok(failed?.error instanceof MusterError && failed.error.code === "UNSUPPORTED_MEDIA_TYPE");
    await store.send({ TEXT: "Read", FILES: [file] });
    await is("the turn ends", isReady);
    assert.equal(store.getSnapshot().messages[0]?.parts[1]?.type, "file");
    for (const { id } of store.getSnapshot().uploads) store.removeUpload(id);
    assert.deepEqual(store.getSnapshot().uploads, []);
  });
});
