import type { Area } from "../scene/area.ts";
import type { Libav } from "./load-libav.ts";
import { loadLibav } from "./load-libav.ts";
import { type Planes, writeYuv } from "./yuv.ts";

export interface EncodedFrame {
  timeMs: number;
  isKey: boolean;
  data: Uint8Array;
}

/**
 * One quality for all frames, so an unchanged picture stays and costs nearly nothing. `qmin` keeps key frames from
 * being four times as fine, and as large.
 */
const quality = "27";
const settings = {
  ...{
    deadline: "realtime",
    "cpu-used": "8",
    "lag-in-frames": "0",
    "tune-content": "screen",
    "aq-mode": "0",
  },
  ...{ crf: quality, qmin: quality, b: "0" },
  // Players assume BT.601 or show nothing when the colours are not named, or named RGB.
  ...{ colorspace: "bt709", color_primaries: "bt709", color_trc: "bt709", color_range: "tv" },
};
const yuv420p = 0;
const keyPicture = 1;
const anyPicture = 0;
const keyFlag = 1;
/** FFmpeg's EAGAIN as its WebAssembly build has it, and its end of file. */
const nothingYet = [-6, -541_478_725];

/** VP9 of one picture that changes. Call `free` in the end. */
export class Encoder {
  readonly #libav: Libav;
  readonly #context: number;
  readonly #frame: number;
  readonly #packet: number;

  private constructor(libav: Libav, [context, frame, packet]: readonly [number, number, number]) {
    this.#libav = libav;
    this.#context = context;
    this.#frame = frame;
    this.#packet = packet;
  }

  static async open(width: number, height: number): Promise<Encoder> {
    const libav = await loadLibav();
    const [, context, frame, packet] = libav.calls.ff_init_encoder_sync("libvpx-vp9", {
      // Key frames are ours to choose: a gap that no video reaches.
      ctx: { ...{ bit_rate: 0, pix_fmt: yuv420p, width, height, gop_size: 1_000_000 } },
      time_base: [1, 1000],
      options: settings,
    });
    libav.calls.AVFrame_width_s_sync(frame, width);
    libav.calls.AVFrame_height_s_sync(frame, height);
    libav.calls.AVFrame_format_s_sync(frame, yuv420p);
    ensure(libav, "allocate a picture", libav.calls.av_frame_get_buffer_sync(frame, 32));
    return new Encoder(libav, [context, frame, packet]);
  }

  /** Replaces an area of whole squares of the picture by opaque RGBA pixels. */
  write(pixels: Uint32Array, area: Area): void {
    const { calls } = this.#libav;
    ensure(this.#libav, "write the picture", calls.av_frame_make_writable_sync(this.#frame));
    writeYuv(pixels, area, this.#libav.memory(), this.#planes());
  }

  /** Encodes the picture as a frame. Times must increase. */
  encode(timeMs: number, options: { isKey: boolean }): EncodedFrame {
    const { calls } = this.#libav;
    calls.AVFrame_pts_s_sync(this.#frame, timeMs);
    calls.AVFrame_ptshi_s_sync(this.#frame, 0);
    calls.AVFrame_pict_type_s_sync(this.#frame, options.isKey ? keyPicture : anyPicture);
    ensure(this.#libav, "encode a frame", calls.avcodec_send_frame_sync(this.#context, this.#frame));
    const frame = this.#receive(timeMs);
    if (frame === undefined) throw new Error(`The encoder kept the frame at ${timeMs} ms to itself.`);
    return frame;
  }

  free(): void {
    this.#libav.calls.ff_free_encoder_sync(this.#context, this.#frame, this.#packet);
  }

  /** Without look-ahead, each frame leaves before the next one enters. */
  #receive(timeMs: number): EncodedFrame | undefined {
    const { calls } = this.#libav;
    const status = calls.avcodec_receive_packet_sync(this.#context, this.#packet);
    if (nothingYet.includes(status)) return undefined;
    ensure(this.#libav, "take a frame", status);
    const { data, flags = 0 } = calls.ff_copyout_packet_sync(this.#packet);
    calls.av_packet_unref_sync(this.#packet);
    return { timeMs, isKey: (flags & keyFlag) !== 0, data };
  }

  #planes(): Planes {
    const { calls } = this.#libav;
    const [y, u, v] = [0, 1, 2].map((index) => calls.AVFrame_data_a_sync(this.#frame, index));
    if (y === undefined || u === undefined || v === undefined) throw new Error("The picture has no planes.");
    const yStride = calls.AVFrame_linesize_a_sync(this.#frame, 0);
    return { y, u, v, yStride, uvStride: calls.AVFrame_linesize_a_sync(this.#frame, 1) };
  }
}

function ensure(libav: Libav, what: string, status: number): void {
  if (status < 0) throw new Error(`The encoder could not ${what}: ${libav.calls.ff_error_sync(status)}`);
}
