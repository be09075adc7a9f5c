import type { SKRSContext2D } from "@napi-rs/canvas";

export type IconName =
  | "shell"
  | "file"
  | "pencil"
  | "folder"
  | "tool"
  | "check"
  | "cross"
  | "spinner"
  | "skip"
  | "spark"
  | "clip";

type Draw = (context: SKRSContext2D, turn: number) => void;

/** In a square of 16 by 16 around the origin. */
const icons: Record<IconName, Draw> = {
  shell: (c) => {
    path(c, [-6, -5], [-1, 0], [-6, 5]);
    path(c, [1, 5], [6, 5]);
  },
  file: (c) => {
    path(c, [-5, -7], [2, -7], [5, -4], [5, 7], [-5, 7], [-5, -7]);
    path(c, [-2, 0], [2, 0]);
    path(c, [-2, 3], [2, 3]);
  },
  pencil: (c) => {
    path(c, [-6, 6], [-5, 2], [3, -6], [6, -3], [-2, 5], [-6, 6]);
  },
  folder: (c) => {
    path(c, [-7, 5], [-7, -5], [-2, -5], [0, -3], [7, -3], [7, 5], [-7, 5]);
  },
  tool: (c) => {
    path(c, [-7, 0], [0, -7], [7, 0], [0, 7], [-7, 0]);
    path(c, [-2.5, 0], [2.5, 0]);
  },
  check: (c) => path(c, [-5, 0], [-1.5, 4], [5, -4]),
  cross: (c) => {
    path(c, [-4, -4], [4, 4]);
    path(c, [4, -4], [-4, 4]);
  },
  spinner: (c, turn) => {
    c.beginPath();
    c.arc(0, 0, 5.5, turn * Math.PI * 2, turn * Math.PI * 2 + Math.PI * 1.5);
    c.stroke();
  },
  skip: (c) => {
    for (const x of [-6, 1]) {
      c.beginPath();
      c.moveTo(x, -5);
      c.lineTo(x + 6, 0);
      c.lineTo(x, 5);
      c.closePath();
      c.fill();
    }
  },
  spark: (c) => {
    for (let arm = 0; arm < 4; arm++) {
      const angle = (arm * Math.PI) / 4;
      const [x, y] = [Math.cos(angle) * 6, Math.sin(angle) * 6];
      path(c, [-x, -y], [x, y]);
    }
  },
  clip: (c) => {
    c.beginPath();
    c.roundRect(-3.5, -7, 7, 14, 3.5);
    c.stroke();
    path(c, [0, -3], [0, 3]);
  },
};

/** Draws an icon around a point. `turn` is 0 to 1, for the spinner. */
export function drawIcon(
  context: SKRSContext2D,
  name: IconName,
  x: number,
  y: number,
  color: string,
  turn = 0,
): void {
  context.save();
  context.translate(x, y);
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineWidth = 1.8;
  context.lineCap = "round";
  context.lineJoin = "round";
  icons[name](context, turn);
  context.restore();
}

function path(context: SKRSContext2D, ...points: Array<[x: number, y: number]>): void {
  context.beginPath();
  for (const [index, [x, y]] of points.entries()) {
    if (index === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
  context.stroke();
}
