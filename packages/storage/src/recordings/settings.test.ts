import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { readRecordingSettings } from "./settings.ts";

const complete = { FILES_DIRECTORY: "/files", MUSTER_SECRETS_KEY: "a".repeat(64) };

describe("settings of recordings", () => {
  test("recordings use the folder and the keys of uploaded files, and are kept for 30 days", () => {
    const settings = readRecordingSettings(complete);
    assert.equal(settings?.directory, "/files");
    assert.equal(settings?.keys.length, 1);
    assert.equal(settings?.retentionDays, 30);
    assert.equal(readRecordingSettings({ ...complete, RECORDING_RETENTION_DAYS: "0" })?.retentionDays, 0);
  });

  test("without a folder there are none, and a folder without a key is refused", () => {
    assert.equal(readRecordingSettings({ ...complete, FILES_DIRECTORY: "" }), undefined);
    assert.throws(
      () => readRecordingSettings({ ...complete, MUSTER_SECRETS_KEY: "" }),
      /^ConfigError: MUSTER_SECRETS_KEY must be set if FILES_DIRECTORY is/,
    );
  });

  test("an invalid retention is named", () => {
    for (const days of ["-1", "a", "1.5", "99999"])
      assert.throws(
        () => readRecordingSettings({ ...complete, RECORDING_RETENTION_DAYS: days }),
        /RECORDING_RETENTION_DAYS must be/,
      );
  });
});
