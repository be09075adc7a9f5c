import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Encoder } from "../encode/encoder.ts";
import type { WebmFile } from "../encode/webm-file.ts";
import { toSquares } from "../encode/yuv.ts";
import type { Scene } from "../scene/scene.ts";
import { Pace } from "./pace.ts";
import type { TimelineLine } from "./timeline.ts";

/** The equipment of a film. */
export interface Equipment {
  scene: Scene;
  context: SKRSContext2D;
  encoder: Encoder;
  video: WebmFile;
  /** Called after each event, when the chapters and the transcript may have grown. */
  onProgress(share: number): Promise<void>;
}

const frameMs = 100;
/** A picture that stays is repeated after this time, so that players have something to seek to. */
const longestFrameMs = 2000;
/** A player decodes from the key frame before. Each one costs as many bytes as the whole picture. */
const keyEveryMs = 12_000;

/** Films the events of a run. Resolves with the length of the video in milliseconds. */
export async function film(equipment: Equipment, events: AsyncIterable<TimelineLine>): Promise<number> {
  const camera = new Camera(equipment);
  for await (const { event, share } of events) {
    await camera.rollUntil(equipment.scene.due(event));
    equipment.scene.apply(event);
    await equipment.onProgress(share);
  }
  const endMs = Math.ceil(equipment.scene.finish() / frameMs) * frameMs;
  await camera.rollUntil(endMs - frameMs);
  await camera.shootLast(endMs - frameMs);
  await equipment.onProgress(1);
  await equipment.video.finish(endMs);
  return endMs;
}

class Camera {
  readonly #equipment: Equipment;
  readonly #pace = new Pace();
  #nextMs = 0;
  #lastFrameMs = Number.NEGATIVE_INFINITY;
  #lastKeyMs = Number.NEGATIVE_INFINITY;

  constructor(equipment: Equipment) {
    this.#equipment = equipment;
  }

  /** Films everything before that time of the video. */
  async rollUntil(videoMs: number): Promise<void> {
    for (; this.#nextMs < videoMs; this.#nextMs += frameMs) {
      await this.#equipment.scene.advanceTo(this.#nextMs);
      if (this.#mustShoot(this.#nextMs)) await this.#shoot(this.#nextMs);
    }
  }

  /** The video ends with the picture of that moment. */
  async shootLast(videoMs: number): Promise<void> {
    await this.#equipment.scene.advanceTo(videoMs);
    if (videoMs > this.#lastFrameMs) await this.#shoot(videoMs);
  }

  #mustShoot(timeMs: number): boolean {
    const isDue = timeMs - this.#lastFrameMs >= longestFrameMs;
    return (this.#pace.allows(timeMs) && this.#equipment.scene.isDirty) || isDue;
  }

  async #shoot(timeMs: number): Promise<void> {
    const { encoder, video } = this.#equipment;
    this.#develop();
    const isKey = timeMs - this.#lastKeyMs >= keyEveryMs;
    const frame = encoder.encode(timeMs, { isKey });
    this.#pace.spend(frame.data.byteLength);
    if (frame.isKey) this.#lastKeyMs = timeMs;
    this.#lastFrameMs = timeMs;
    await video.add(frame);
    // Pixels of earlier frames are only freed between turns of the event loop.
    await new Promise(setImmediate);
  }

  /** Draws what has changed, and hands it to the encoder. */
  #develop(): void {
    const { scene, context, encoder } = this.#equipment;
    for (const area of scene.draw(context)) {
      const squares = toSquares(area, context.canvas);
      if (squares.width === 0 || squares.height === 0) continue;
      const { data } = context.getImageData(squares.x, squares.y, squares.width, squares.height);
      encoder.write(new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4), squares);
    }
  }
}
