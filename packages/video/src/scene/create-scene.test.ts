import { createCanvas } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import { createScene } from "./create-scene.ts";

test("the title card shows the agent's name", () => {
  const facts = {
    agentName: "Lou",
    task: "Sort",
    startedAtMs: 0,
    endedAtMs: 1000,
    status: "completed" as const,
  };
  const scene = createScene(facts, { theme: "dark", width: 1280, height: 720 });
  const context = createCanvas(1280, 720).getContext("2d");
  expect(scene.isDirty).toBe(true);
  scene.draw(context);
  expect(scene.isDirty).toBe(false);
  const { data } = context.getImageData(90, 290, 200, 70);
  expect(new Set(data.filter((_, index) => index % 4 === 0)).size).toBeGreaterThan(10);
});
