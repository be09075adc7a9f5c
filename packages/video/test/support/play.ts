import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { Area, RunFacts, Scene, Theme, TimelineEvent } from "../../src/index.ts";
import { createScene } from "../../src/scene/create-scene.ts";

export interface Frame {
  videoMs: number;
  /** The areas that were redrawn; empty if the picture is the same as before. */
  areas: Area[];
}

export interface Playing {
  scene: Scene;
  context: SKRSContext2D;
}

/** Plays a timeline as the renderer does, and calls `look` for each frame. Returns the words and the length. */
export async function play(
  facts: RunFacts,
  events: Iterable<TimelineEvent>,
  options: { theme?: Theme; frameMs?: number; look?(frame: Frame, playing: Playing): void } = {},
): Promise<{ chapters: string; transcript: string; lengthMs: number; frames: number; drawn: number }> {
  const { theme = "dark", frameMs = 100, look } = options;
  const scene = createScene(facts, { theme, width: 1280, height: 720 });
  const context = createCanvas(1280, 720).getContext("2d");
  const result = { chapters: "", transcript: "", lengthMs: 0, frames: 0, drawn: 0 };
  let videoMs = 0;
  const showUntil = async (endMs: number) => {
    for (; videoMs < endMs; videoMs += frameMs) {
      await scene.advanceTo(videoMs);
      const areas = scene.isDirty ? scene.draw(context) : [];
      result.frames++;
      if (areas.length > 0) result.drawn++;
      result.chapters += scene.words.takeChapters();
      result.transcript += scene.words.takeTranscript();
      look?.({ videoMs, areas }, { scene, context });
    }
  };
  for (const event of events) {
    await showUntil(scene.due(event));
    scene.apply(event);
  }
  result.lengthMs = scene.finish();
  await showUntil(result.lengthMs);
  result.chapters += scene.words.takeChapters();
  result.transcript += scene.words.takeTranscript();
  return result;
}
