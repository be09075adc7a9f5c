import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { registerFonts } from "../fonts/fonts.ts";
import { TerminalFeed } from "./feed.ts";

registerFonts();
const esc = "\u001b";
const size = { columns: 20, rows: 5 };
const prompt = (directory: string) => `${directory} $ `;
const atOnce = { startMs: 0, durationMs: 0 };

function textOf({ screen }: TerminalFeed): string[] {
  return Array.from({ length: screen.rows }, (_, row) =>
    screen
      .row(row)
      .runs.map((run) => run.text)
      .join("")
      .trimEnd(),
  );
}

async function shown(feed: TerminalFeed, videoMs = 0): Promise<string[]> {
  await feed.advanceTo(videoMs);
  return textOf(feed);
}

describe("the terminal", () => {
  test("shows a command behind its prompt, and its output below", async () => {
    const feed = new TerminalFeed(size, prompt);
    feed.command("~", "ls", atOnce);
    feed.output("a  b\nc\n");
    expect(await shown(feed)).toEqual(["~ $ ls", "a  b", "c", "", ""]);
  });

  test("types a command letter by letter, and completes it when output follows", async () => {
    const feed = new TerminalFeed(size, prompt);
    feed.command("~", "sleep 10", { startMs: 1000, durationMs: 800 });
    expect((await shown(feed, 1400))[0]).toBe("~ $ slee");
    feed.output("done\n");
    expect((await shown(feed, 1500)).slice(0, 2)).toEqual(["~ $ sleep 10", "done"]);
  });

  test("scrolls, and overwrites a line after a carriage return", async () => {
    const feed = new TerminalFeed(size, prompt);
    feed.output("1\n2\n3\n4\n5\n6\n10 %\r20 %\r100 %");
    expect(await shown(feed)).toEqual(["3", "4", "5", "6", "100 %"]);
  });

  test("begins each prompt on a fresh line, on the first screen and without colours", async () => {
    const feed = new TerminalFeed(size, prompt);
    feed.output("kept");
    feed.output(`${esc}[?1049h${esc}[31mfull screen${esc}]0;unfinished title`);
    feed.command("~", "ls", atOnce);
    await feed.advanceTo(0);
    expect(textOf(feed)[0]).toBe("kept");
    expect(textOf(feed)[1]).toBe("~ $ ls");
    expect(feed.screen.row(1).runs[0]?.style.foreground).toEqual({ kind: "default" });
  });

  test("replaces what is on the line to which a command has moved the cursor", async () => {
    const feed = new TerminalFeed(size, prompt);
    feed.output(`an old line${esc}[r`);
    feed.command("~", "ok", atOnce);
    expect((await shown(feed))[0]).toBe("~ $ ok");
  });

  test("knows 16, 256 and 16 million colours, and the styles of text", async () => {
    const feed = new TerminalFeed(size, prompt);
    feed.output(`${esc}[31ma${esc}[38;5;200mb${esc}[38;2;1;2;3mc${esc}[0;1;2;3;4;7;9md`);
    await feed.advanceTo(0);
    const styles = feed.screen.row(0).runs.map((run) => run.style);
    expect(styles.slice(0, 3).map((style) => style.foreground)).toEqual([
      { kind: "indexed", index: 1 },
      { kind: "indexed", index: 200 },
      { kind: "rgb", value: 0x010203 },
    ]);
    expect(styles[3]).toMatchObject({
      isBold: true,
      isDim: true,
      isItalic: true,
      isUnderlined: true,
      isInverse: true,
      isStruck: true,
    });
  });

  test("gives wide characters and joined emoji two cells", async () => {
    const feed = new TerminalFeed(size, prompt);
    feed.output("日👩‍💻🇩🇪x");
    await feed.advanceTo(0);
    expect(
      feed.screen
        .row(0)
        .runs.map(({ text, column, columns }) => [text.trim(), column, columns])
        .slice(0, 4),
    ).toEqual([
      ["日", 0, 2],
      ["👩‍💻", 2, 2],
      ["🇩🇪", 4, 2],
      ["x", 6, 14],
    ]);
  });

  test("shows the control characters of a command instead of obeying them, and cuts a long one", async () => {
    const feed = new TerminalFeed(size, prompt);
    feed.command("~", `echo ${esc}[2J`, atOnce);
    expect((await shown(feed))[0]).toBe("~ $ echo ␛[2J");
    feed.command("~", "x".repeat(100_000), atOnce);
    expect((await shown(feed)).join("")).toMatch(/^[x ]+…$/);
  });

  test("keeps the beginning and the end of a flood, and reports how much it leaves out", async () => {
    const feed = new TerminalFeed({ columns: 60, rows: 5 }, prompt);
    for (let line = 0; line < 400_000; line++) feed.output(`line ${line}\n`);
    const rows = await shown(feed);
    expect(rows.slice(0, 4)).toEqual(["line 399996", "line 399997", "line 399998", "line 399999"]);
    const small = new TerminalFeed({ columns: 60, rows: 5 }, prompt);
    small.output("a".repeat(10));
    small.output(`${"b\r".repeat(1_000_000)}end`);
    expect((await shown(small)).join("\n")).toContain("characters left out");
  });

  test("survives any output in any pieces", async () => {
    const part = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(`${esc}[`, `${esc}]`, `${esc}P`, "\u009b", "?1049h", "5;99H", "r", "L"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 60 }), async (parts) => {
        const feed = new TerminalFeed(size, prompt);
        for (const each of parts) feed.output(each);
        feed.command("~", "ok", atOnce);
        const rows = await shown(feed);
        feed.screen.dispose();
        expect(rows.some((row) => row.endsWith("~ $ ok"))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
