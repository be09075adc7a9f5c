import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Theme } from "../theme/palettes.ts";
import type { TimelineEvent } from "../timeline-event.ts";
import type { Words } from "../words/words.ts";
import type { Area } from "./area.ts";

export interface SceneOptions {
  theme: Theme;
  width: 1280;
  height: 720;
}

/**
 * The contents of the video. For each event: ask when it is `due`, draw the frames up to then, `apply` it. After the
 * last event draw the frames up to the end that `finish` returns.
 */
export interface Scene {
  /** The time of the video that the scene shows, in milliseconds. */
  readonly nowMs: number;
  /** The time of the video when the event shows, never before that of an earlier event. Asked once for each event, in order. */
  due(event: TimelineEvent): number;
  /** Takes an event. Cheap: its changes show after the next `advanceTo`. */
  apply(event: TimelineEvent): void;
  /** No event follows. Returns the length of the video in milliseconds; may be called without any event before it. */
  finish(): number;
  /** Moves the clock, once for each frame. Resolves when the terminal has taken in what commands have printed. */
  advanceTo(videoMs: number): Promise<void>;
  /** Whether the next `draw` may change the picture. */
  readonly isDirty: boolean;
  /**
   * Draws what has changed, and returns where; nothing if the picture stays unchanged. A scene is drawn on one canvas,
   * which keeps its picture between the calls.
   */
  draw(context: SKRSContext2D): Area[];
  /** Draws everything, on a canvas that is new. */
  redraw(context: SKRSContext2D): void;
  /** Chapters and transcript. */
  readonly words: Words;
}
