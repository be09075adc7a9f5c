import assert from "node:assert/strict";
import { promptOf, resultsFor, startExample } from "@muster/example-testing";
import { textOf } from "@muster/testing";
import { test } from "vitest";

const folder = import.meta.dirname;
const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });

test("a guest is greeted in their language and by name before they write anything", async (t) => {
  const example = await startExample(t, folder, [
    {
      check: (request) => {
        assert.match(promptOf(request), /vouvoie le client/);
        assert.match(promptOf(request), /The guest's name is Moreau/);
        assert.match(promptOf(request), /guest of honour/);
        assert.match(promptOf(request), /ask how the room is/);
        assert.match(promptOf(request), /It is Friday 2026-03-27 18:05 there/);
        assert.doesNotMatch(
          promptOf(request),
          /Antworte auf Deutsch|has not arrived|do not know the date|\{\{/,
        );
      },
      parts: [{ text: "Bonsoir Monsieur Moreau, la chambre vous convient-elle ?" }],
    },
  ]);
  const sessionId = await example.session({
    LANGUAGE: "fr",
    GUEST_NAME: "Moreau",
    VIP: true,
    CHECKED_IN: true,
    NOW: "Friday 2026-03-27 18:05",
  });
  const events = await example.trigger(sessionId, { triggerName: "welcome" });
  assert.match(textOf(events), /Bonsoir/);
  const { messages } = await example.client.json(200, "GET", `/api/agent-sessions/${sessionId}?format=ui`);
  assert.ok(Array.isArray(messages));
  assert.equal(messages.length, 1, "the request for a greeting is not shown");
});

test("a guest without session input is unknown, not checked in, and answered in English", async (t) => {
  const example = await startExample(t, folder, [
    {
      check: (request) => {
        assert.match(promptOf(request), /Answer in English/);
        assert.match(promptOf(request), /do not know the guest's name/);
        assert.match(promptOf(request), /has not arrived yet/);
        assert.match(promptOf(request), /do not know the date/);
        assert.doesNotMatch(promptOf(request), /guest of honour|NONE/);
      },
      parts: [{ toolCall: { name: "find-places", arguments: { what: "seafood" } } }],
    },
    {
      check: (request) => assert.match(promptOf(request), /Casa do Mar/),
      parts: [{ text: "Casa do Mar is close by." }],
    },
  ]);
  const sessionId = await example.session();
  const turn = say("Where can I eat fish?");
  const first = await example.trigger(sessionId, turn);
  const toolResults = resultsFor(first, [{ name: "Casa do Mar" }]);
  const second = await example.trigger(sessionId, { ...turn, toolResults });
  assert.match(textOf(second), /Casa do Mar is close by/);
});

test("a session in a language without a house style is refused", async (t) => {
  const example = await startExample(t, folder, []);
  const body = { agentId: example.agentId, input: { LANGUAGE: "tlh" } };
  const refused = await example.client.json(400, "POST", "/api/agent-sessions", body);
  assert.equal(refused.code, "INVALID_INPUT");
});
