import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTimeline } from "../../test/support/demo-echo.ts";
import { incidentFacts, incidentTimeline } from "../../test/support/incident.ts";
import { play } from "../../test/support/play.ts";
import { readVtt } from "../../test/support/read-vtt.ts";
import { chat, frame, terminalRows, terminalWindow } from "../frame/layout.ts";
import type { RunFacts } from "../run-facts.ts";
import { palettes } from "../theme/palettes.ts";
import type { TimelineEvent } from "../timeline-event.ts";
import type { Area } from "./area.ts";
import { createScene } from "./create-scene.ts";

const facts: RunFacts = {
  agentName: "Lou",
  task: "Sort the list",
  startedAtMs: 0,
  endedAtMs: 5000,
  status: "completed",
};

function event(atMs: number, type: string, fields: object = {}): TimelineEvent {
  return { atMs, type, json: JSON.stringify({ type, ...fields }) };
}

/** How many colours an area has: a blank one has a single one, or a gradient's few. */
function colorsIn(context: SKRSContext2D, { x, y, width, height }: Area): number {
  const { data } = context.getImageData(x, y, width, height);
  return new Set(new Uint32Array(data.buffer, data.byteOffset, data.length / 4)).size;
}

function pixelAt(context: SKRSContext2D, x: number, y: number): string {
  return `#${Buffer.from(context.getImageData(x, y, 1, 1).data.subarray(0, 3)).toString("hex")}`;
}

describe("the scene of a run", () => {
  test.each(["dark", "light"] as const)("shows title, terminal, conversation and end, %s", async (theme) => {
    const seen = { title: 0, terminal: 0, chat: 0, end: 0, window: "" };
    const { lengthMs } = await play(incidentFacts, incidentTimeline(), {
      theme,
      frameMs: 500,
      look({ videoMs }, { context }) {
        if (videoMs === 0) seen.title = colorsIn(context, { x: 120, y: 260, width: 300, height: 80 });
        seen.window = videoMs === 30_000 ? pixelAt(context, terminalWindow.x + 8, 640) : seen.window;
        if (videoMs === 30_000) {
          seen.terminal = colorsIn(context, terminalRows);
          seen.chat = colorsIn(context, chat);
        }
        seen.end = colorsIn(context, { x: 120, y: 470, width: 1040, height: 120 });
      },
    });
    expect(seen.title).toBeGreaterThan(20);
    expect(seen.window).toBe(palettes[theme].window);
    expect(seen.terminal).toBeGreaterThan(60);
    expect(seen.chat).toBeGreaterThan(60);
    expect(seen.end).toBeGreaterThan(30);
    expect(lengthMs).toBeGreaterThan(30_000);
    expect(lengthMs).toBeLessThan(70_000);
  });

  test("draws only changes, and ends with the same picture as one that is drawn at once", async () => {
    const differences: number[] = [];
    const result = await play(incidentFacts, incidentTimeline(), {
      look({ videoMs, areas }, { context, scene }) {
        if (areas.length === 0 || videoMs % 3000 !== 0) return;
        const before = context.getImageData(0, 0, frame.width, frame.height).data;
        const fresh = createCanvas(frame.width, frame.height).getContext("2d");
        scene.redraw(fresh);
        const after = fresh.getImageData(0, 0, frame.width, frame.height).data;
        let different = 0;
        for (let index = 0; index < before.length; index += 4)
          if (before[index] !== after[index]) different++;
        differences.push(different);
      },
    });
    expect(differences.length).toBeGreaterThan(5);
    expect(Math.max(...differences)).toBe(0);
    expect(result.drawn).toBeLessThan(result.frames * 0.7);
  });

  test("has chapters for each step and a transcript, within the video", async () => {
    const { chapters, transcript, lengthMs } = await play(incidentFacts, incidentTimeline(), {
      frameMs: 1000,
    });
    const cues = readVtt(chapters);
    expect(cues.map((cue) => cue.text.split(":")[0])).toEqual([
      "Task",
      ...[1, 2, 3, 4, 5, 6].map((step) => `Step ${step}`),
      "Result",
    ]);
    for (const [index, cue] of cues.entries())
      expect(cue.startMs).toBe(index === 0 ? 0 : cues[index - 1]?.endMs);
    expect(cues.at(-1)?.endMs).toBe(Math.round(lengthMs));
    const words = readVtt(transcript);
    expect(words.map((cue) => cue.text).join("\n")).toContain("<v Terminal>$ ls -lh ~/files");
    expect(words.map((cue) => cue.text).join("\n")).toContain("<v User>Checkout has been");
    for (const cue of words) expect(cue.endMs).toBeLessThanOrEqual(lengthMs);
  });

  test("plays what the product itself has recorded", async () => {
    const events = readTimeline();
    const { chapters, transcript } = await play({ ...facts, endedAtMs: events.at(-1)?.atMs ?? 0 }, events, {
      frameMs: 1000,
    });
    expect(readVtt(chapters)).toHaveLength(6);
    expect(
      readVtt(transcript)
        .map((cue) => cue.text)
        .join("\n"),
    ).toContain("Reads ~/demo/report.txt");
  });

  test("is the same each time", async () => {
    const once = await play(incidentFacts, incidentTimeline(), { frameMs: 1000 });
    expect(await play(incidentFacts, incidentTimeline(), { frameMs: 1000 })).toEqual(once);
  });

  test("shows a run of which nothing is known but its end", async () => {
    const { lengthMs, chapters } = await play(
      { ...facts, status: "failed", failureReason: "The computer was lost." },
      [],
    );
    expect(lengthMs).toBeGreaterThan(4000);
    expect(readVtt(chapters).at(-1)?.text).toContain("The computer was lost");
  });

  test("ends what a timeline that was cut has left open", async () => {
    const events = incidentTimeline();
    const cut = events.slice(
      0,
      events.findLastIndex(({ type }) => type === "computer-output"),
    );
    const { transcript, lengthMs } = await play({ ...incidentFacts, status: "failed" }, cut, {
      frameMs: 500,
    });
    expect(lengthMs).toBeGreaterThan(10_000);
    expect(readVtt(transcript).at(-1)?.text).toContain("Failed after");
  });

  test("survives events that are unknown, malformed, repeated, without a beginning or in a wrong order", async () => {
    const real = incidentTimeline();
    const types = [
      ...new Set(real.map(({ type }) => type)),
      "worker-start",
      "todo-update",
      "step-discard",
      "error",
      "constructor",
      "__proto__",
    ];
    const broken = fc.record({
      atMs: fc.oneof(fc.nat(1e6), fc.constantFrom(Number.NaN, -5, Number.POSITIVE_INFINITY)),
      type: fc.constantFrom(...types),
      json: fc.oneof(
        fc.json(),
        fc.string(),
        fc
          .record({
            id: fc.anything(),
            toolCallId: fc.constantFrom("a", "b", 7, null),
            toolName: fc.constantFrom("files__read", "shell__run_command", "x", 3),
            delta: fc.anything(),
            input: fc.anything(),
            output: fc.anything(),
            todos: fc.anything(),
            message: fc.anything(),
            text: fc.anything(),
          })
          .map((value) => JSON.stringify(value) ?? ""),
      ),
    });
    const some = fc.oneof(fc.constantFrom(...real), broken);
    await fc.assert(
      fc.asyncProperty(fc.array(some, { maxLength: 60 }), async (events) => {
        const result = await play(facts, events, { frameMs: 2000 });
        expect(result.lengthMs).toBeGreaterThan(0);
        readVtt(result.chapters);
        readVtt(result.transcript);
      }),
      { numRuns: 25 },
    );
  });

  test("does not change between events while nothing moves", async () => {
    const scene = createScene(facts, { theme: "dark", width: 1280, height: 720 });
    const context = createCanvas(1280, 720).getContext("2d");
    const first = event(0, "computer-output", { toolCallId: "a", text: "ready\n" });
    const dueMs = scene.due(first);
    scene.apply(first);
    await scene.advanceTo(dueMs + 600);
    expect(scene.draw(context)).toHaveLength(1);
    expect(scene.isDirty).toBe(false);
    expect(scene.draw(context)).toEqual([]);
    const second = event(800, "computer-output", { toolCallId: "a", text: "more" });
    await scene.advanceTo(scene.due(second));
    scene.draw(context);
    scene.apply(second);
    await scene.advanceTo(dueMs + 900);
    expect(scene.isDirty).toBe(true);
    const areas = scene.draw(context);
    expect(areas.every((area) => area.height <= 60)).toBe(true);
  });
});
