import { createThreadPool } from "@muster/large-data";
import { FairQueue, QueueFullError } from "@muster/service";
import { shipped } from "@muster/service/shipped";
import type { ScaleRequest } from "./scale-image.ts";

/** Why an image cannot be scaled: the end of a sentence whose subject is the image. */
export class ImageProblem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ImageProblem";
  }
}

export type ImageScaler = ReturnType<typeof createImageScaler>;

export interface ImageScalerOptions {
  /** For one image, without its wait. Default: 20 s. */
  timeoutMs?: number;
}

/** Decoded, such an image takes 160 MB. */
export const maxPixels = 40_000_000;

const limits = { running: 1, waiting: 32, waitingPerOwner: 16 };
const defaultTimeoutMs = 20_000;

/** One thread, so that one image is decoded at a time. It starts with the first image. */
export function createImageScaler({ timeoutMs = defaultTimeoutMs }: ImageScalerOptions = {}) {
  const module = shipped("./scale-image.ts", import.meta.url);
  const threads = createThreadPool<Pick<typeof import("./scale-image.ts"), "scaleImage">>(module, {
    maxThreads: limits.running,
    maxWaiting: 0,
  });
  const queue = new FairQueue(limits);
  const scaleNow = async (request: Omit<ScaleRequest, "maxPixels">, signal: AbortSignal) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const either = AbortSignal.any([signal, deadline]);
      const scaled = await threads.run("scaleImage", { ...request, maxPixels }, [], either);
      if ("problem" in scaled) throw new ImageProblem(scaled.problem);
      return "picture" in scaled ? scaled.picture : request;
    } catch (error) {
      signal.throwIfAborted();
      throw deadline.aborted ? new ImageProblem("takes too long to scale down", { cause: error }) : error;
    }
  };
  return {
    /** The images that wait, and for how long the first one has. */
    queue,
    /** `owner`: whose image it is, usually a project; owners take turns. Throws ImageProblem, and the reason of the signal. */
    scale: async (request: Omit<ScaleRequest, "maxPixels">, owner: string, signal: AbortSignal) => {
      try {
        return await queue.run(owner, () => scaleNow(request, signal), { signal });
      } catch (error) {
        if (!(error instanceof QueueFullError)) throw error;
        throw new ImageProblem("cannot be scaled down, because too many images are waiting", {
          cause: error,
        });
      }
    },
    close: () => threads.close(),
  };
}
