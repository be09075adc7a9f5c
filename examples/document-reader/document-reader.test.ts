import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram, startExample } from "@muster/example-testing";
import { test } from "vitest";

const pdf = Buffer.from("%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n");

test("the client uploads a PDF, which reaches the model as a document, and prints the answer", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "muster-document-reader-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "lease.pdf");
  await writeFile(path, pdf);
  const example = await startExample(t, import.meta.dirname, [
    {
      check: ({ body }) => {
        const text = JSON.stringify(body);
        assert.ok(text.includes("When is the rent due?"));
        assert.ok(text.includes(pdf.toString("base64")));
        assert.ok(text.includes('"media_type":"application/pdf"'));
      },
      parts: [{ text: "On the third, page 1." }],
    },
  ]);
  const env = { ...example.env, MODEL: "anthropic/claude-sonnet-4-5" };
  const client = join(import.meta.dirname, "client.mjs");
  const ask = (question: string, environment: Record<string, string>) =>
    runProgram(client, [], environment, [question, path]);
  assert.deepEqual(await ask("When is the rent due?", env), {
    code: 0,
    stdout: "On the third, page 1.\n",
    stderr: "",
  });
  const demo = await ask("What?", example.env);
  assert.match(
    demo.stdout,
    new RegExp(`What\\?\\s+\\[file lease\\.pdf, application/pdf, ${pdf.length} bytes\\]`),
  );
});
