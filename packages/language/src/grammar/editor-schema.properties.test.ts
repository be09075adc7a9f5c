import assert from "node:assert/strict";
import { Ajv } from "ajv";
import fc from "fast-check";
import { test } from "vitest";
import { parse } from "yaml";
import { validDefinitions } from "../../test/support/definitions.ts";
import { protocolEditorSchema, settingsEditorSchema } from "./editor-schema.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 100 * Number(process.env.LONG_RUN ?? 1);

test("the editor's schema accepts every definition that compiles", () => {
  const ajv = new Ajv({ strict: false });
  const isProtocol = ajv.compile(protocolEditorSchema());
  const isSettings = ajv.compile(settingsEditorSchema());
  fc.assert(
    fc.property(validDefinitions(), ({ settings, protocol }) => {
      assert.ok(isSettings(settings), JSON.stringify(isSettings.errors));
      assert.ok(isProtocol(parse(protocol)), JSON.stringify(isProtocol.errors, null, 2));
    }),
    { numRuns },
  );
});
