import assert from "node:assert/strict";
import type { JsonValue } from "@muster/language";
import fc from "fast-check";
import { test } from "vitest";
import { FillProblem, fillTemplate } from "./fill-template.ts";

const body = {
  action: "opened",
  issue: { number: 7, title: "It {{BODY}} broke", labels: ["bug", "p1"], "user-login": "mona" },
  pullRequest: { headRef: "fix" },
  issue_title: "flat",
  commits: [{ id: "c0" }, { id: "c1" }],
  empty: "",
};

test("a name stands for the value at its path, whatever the style of the keys", () => {
  const filled = (template: string) => fillTemplate(template, body);
  assert.equal(filled("{{ACTION}} {{ISSUE_NUMBER}} {{ISSUE_USER_LOGIN}}"), "opened 7 mona");
  assert.equal(filled("{{PULL_REQUEST_HEAD_REF}} {{COMMITS_1_ID}}"), "fix c1");
  assert.equal(filled("{{ISSUE_LABELS}} {{ISSUE_LABELS_0}}"), '["bug","p1"] bug');
  assert.equal(filled("{{ISSUE_TITLE}}"), "flat");
  assert.equal(filled("{{MISSING}}{{COMMITS_9_ID}}"), "NONENONE");
  assert.equal(filled("{{BODY}}"), JSON.stringify(body));
  assert.equal(filled('{{#if ACTION == "opened"}}new{{else}}old{{/if}}{{#if EMPTY}}x{{/if}}'), "new");
});

test("values of a body are data: they reach the message unchanged, and can add neither a condition nor a name", () => {
  const syntax = fc.array(
    fc.constantFrom("{{", "}}", "#if ", "/if", "else", "TEXT", "SECRET", "{{SECRET}}", "{{/if}}", " ", "x"),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(syntax, (pieces) => {
      const text = pieces.join("");
      const values = { text, secret: "hidden" };
      assert.equal(fillTemplate("a {{TEXT}} b", values), `a ${text} b`);
      assert.equal(
        fillTemplate("{{#if TEXT}}{{TEXT}}{{else}}none{{/if}}", values),
        falsy(text) ? "none" : text,
      );
    }),
  );
});

const falsy = (text: string) => ["", "false", "0"].includes(text);

test("a message has neither NUL nor half a character from a body", () => {
  assert.equal(fillTemplate("{{A}}{{B}}", { a: "x\0y", b: "\ud83d" }), "xy\ufffd");
});

test("a body that a template multiplies beyond a megabyte, or that hides a name in countless paths, is refused in little time", () => {
  const large = { a: { a: { a: "x".repeat(400_000) } } };
  assert.throws(() => fillTemplate("{{A}}{{A_A}}{{A_A_A}}", large), FillProblem);
  let deep: JsonValue = {};
  for (let level = 0; level < 60; level++) deep = { a: deep, a_a: deep, a_a_a: deep };
  assert.throws(() => fillTemplate(`{{${"A_".repeat(60)}B}}`, deep), FillProblem);
});
