import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { fileNames } from "./file-names.ts";

const file = (filename?: string, url = "https://a.example/") => ({
  ...{ id: "file_1", mediaType: "text/plain", url },
  ...(filename !== undefined && { filename }),
});

describe("names of files on the computer", () => {
  const rows: Array<[string, string]> = [
    ["report.csv", "report.csv"],
    ["Übersicht März.txt", "Übersicht_März.txt"],
    ["../../etc/passwd", "_etc_passwd".replace(/^_/, "__.._")],
    ["..", "file-1"],
    [".", "file-1"],
    [".bashrc", "_bashrc"],
    ["-rf", "_rf"],
    ["$(reboot).txt", "_reboot_.txt"],
    ["a'b\"c`d.txt", "a_b_c_d.txt"],
    ["a\nb", "a_b"],
    ["\u202egpj.exe", "_gpj.exe"],
    ["日本.txt", "日本.txt"],
    ["…", "file-1"],
  ];
  for (const [given, expected] of rows) {
    test(`${JSON.stringify(given)} becomes ${expected}`, () => {
      assert.deepEqual(fileNames([file(given)], []), [expected]);
    });
  }

  test("a name that is taken, in upper or lower case, gets a number before its extension", () => {
    const files = [file("a.txt"), file("A.txt"), file("a.txt"), file("b"), file("b")];
    assert.deepEqual(fileNames(files, ["a.txt", "a-3.txt"]), ["a-2.txt", "A-4.txt", "a-5.txt", "b", "b-2"]);
  });

  test("without a name, the last part of the URL is one", () => {
    const named = (url: string) => fileNames([file(undefined, url)], [])[0];
    assert.equal(named("https://a.example/x/data%20set.json?y=1"), "data_set.json");
    assert.equal(named("https://a.example/%E0%A4%A"), "_E0_A4_A");
    assert.equal(named("https://a.example/"), "file-1");
  });

  test("every name is one plain word of bounded length, and no two are the same", () => {
    const names = fc.array(
      fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "constructor", "..")),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(names, names, (given, taken) => {
        const made = fileNames(
          given.map((name) => file(name)),
          taken,
        );
        for (const name of made) {
          assert.match(name, /^[\p{L}\p{M}\p{N}_+@=][\p{L}\p{M}\p{N}._+@=-]*$/u);
          assert.ok(Buffer.byteLength(name) <= 220);
        }
        const all = [
          ...new Set(taken.map((name) => name.toLowerCase())),
          ...made.map((name) => name.toLowerCase()),
        ];
        assert.equal(new Set(all).size, all.length);
      }),
    );
  });
});
