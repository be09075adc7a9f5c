import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readVtt } from "../../test/support/read-vtt.ts";
import { Chapters } from "./chapters.ts";
import { plainOutput } from "./plain-output.ts";
import { Transcript } from "./transcript.ts";
import { formatCue, vttTime } from "./vtt.ts";

describe("WebVTT", () => {
  test("writes times with hours", () => {
    expect(vttTime(3_723_045)).toBe("01:02:03.045");
  });

  test("escapes what would end the cue, begin a tag or look like a time", () => {
    const cue = formatCue({
      startMs: 0,
      endMs: 1000,
      voice: "A<b>\nC",
      text: "1 --> 2\n\n<i>&amp;\r\nNOTE x",
    });
    expect(cue).toBe(
      "00:00:00.000 --> 00:00:01.000\n<v A&lt;b&gt; C>1 --&gt; 2\n&lt;i&gt;&amp;amp;\nNOTE x\n\n",
    );
  });

  test("keeps the indentation of lines, which columns of an output need", () => {
    const cue = formatCue({ startMs: 0, endMs: 1000, voice: "Terminal", text: "   2 web-2 \n\n  10 web-1" });
    expect(cue).toBe("00:00:00.000 --> 00:00:01.000\n<v Terminal>   2 web-2\n  10 web-1\n\n");
  });

  test("any text makes one cue that ends after it begins", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary" }),
        fc.nat(1e8),
        fc.nat(1e8),
        (voice, text, startMs, endMs) => {
          const cues = readVtt(`WEBVTT\n\n${formatCue({ startMs, endMs, voice, text })}`);
          expect(cues.length).toBeLessThanOrEqual(1);
          for (const cue of cues) {
            expect(cue.endMs).toBeGreaterThan(cue.startMs);
            expect(cue.text.replace(/^<v [^<>\n]*>/, "")).not.toMatch(/[<>]/);
          }
        },
      ),
    );
  });
});

describe("chapters", () => {
  test("last until the next begins, and take the first words as their title", () => {
    const chapters = new Chapters();
    chapters.begin(0, "Task");
    chapters.describe("Find it. Then fix it.");
    chapters.begin(2000, "Step 1");
    chapters.describe("I look at `files__read`:\n\nfirst");
    chapters.describe("ignored");
    chapters.begin(2050, "Step 2");
    chapters.end(9000);
    expect(readVtt(chapters.take())).toEqual([
      { startMs: 0, endMs: 2000, text: "Task: Find it" },
      { startMs: 2000, endMs: 9000, text: "Step 2" },
    ]);
    expect(chapters.take()).toBe("");
  });

  test.each([
    ["I put the message into a file, and then I count its lines, its words and its bytes. Then", undefined],
    [
      `${"I count lines, ".repeat(9)}words and bytes in every file`,
      `${"I count lines, ".repeat(9).slice(0, -2)} …`,
    ],
    [`${"count ".repeat(30)}all`, `${"count ".repeat(22)}count…`],
  ])("have a whole sentence as their title, and of a very long one whole parts: %s", (words, title) => {
    const chapters = new Chapters();
    chapters.begin(0, "Step 1");
    chapters.describe(words);
    chapters.end(9000);
    const text = `Step 1: ${title ?? words.slice(0, words.indexOf(". "))}`;
    expect(readVtt(chapters.take())).toEqual([{ startMs: 0, endMs: 9000, text }]);
  });

  test.each([
    ["## Plan for **all** `*.log` files", "Plan for all *.log files"],
    ["*First*, I call `files__read`", "First, I call files__read"],
    ["A C# program, 2 * 3 and 2*3, issue #12", "A C# program, 2 * 3 and 2*3, issue #12"],
    ["***All*** of (**it**)", "All of (it)"],
  ])("leave out the marks of Markdown, and nothing else: %s", (words, title) => {
    const chapters = new Chapters();
    chapters.begin(0, "Step 1");
    chapters.describe(words);
    chapters.end(9000);
    expect(readVtt(chapters.take())).toEqual([{ startMs: 0, endMs: 9000, text: `Step 1: ${title}` }]);
  });
});

describe("the transcript", () => {
  test("contains who said what, in the order of the beginnings", () => {
    const transcript = new Transcript();
    transcript.append("a", 1000, "Lou", "I look ");
    transcript.say(1500, "User", "now");
    transcript.append("a", 2000, "Lou", "at it.");
    transcript.end("a", 2500);
    transcript.endAll(9000);
    expect(readVtt(transcript.take())).toEqual([
      { startMs: 1000, endMs: 2000, text: "<v Lou>I look at it." },
      { startMs: 1500, endMs: 2500, text: "<v User>now" },
    ]);
  });

  test("is bounded, whatever is said", () => {
    const transcript = new Transcript();
    let length = 0;
    for (let index = 0; index < 500; index++) {
      transcript.append(`open ${index}`, index, "Lou", "x".repeat(20_000));
      length += transcript.take().length;
    }
    transcript.endAll(1e6);
    expect(length + transcript.take().length).toBeLessThan(1_100_000);
  });

  test("stays in order with any mixture of texts, and loses none", () => {
    const action = fc.tuple(
      fc.constantFrom("say", "append", "end"),
      fc.constantFrom("a", "b", "__proto__"),
      fc.nat(3000),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const transcript = new Transcript();
        let [nowMs, said] = [0, 0];
        for (const [kind, id, passedMs] of actions) {
          nowMs += passedMs;
          if (kind === "say") transcript.say(nowMs, "A", "xyz");
          else if (kind === "append") transcript.append(id, nowMs, "B", "xyz");
          else transcript.end(id, nowMs);
          if (kind !== "end") said++;
        }
        transcript.endAll(nowMs);
        const cues = readVtt(transcript.take());
        const starts = cues.map((cue) => cue.startMs);
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
        expect(
          cues
            .map((cue) => cue.text)
            .join("")
            .match(/xyz/g)?.length ?? 0,
        ).toBe(said);
      }),
    );
  });

  test("shows output as text: without colours, and of overwritten lines the last", () => {
    expect(plainOutput("\u001b[31mred\u001b[0m\n10 %\r100 %\r\n\u001b]0;t\u0007ok")).toBe("red\n100 %\nok");
  });
});
