import type { Area } from "../scene/area.ts";
import { cell } from "../terminal/screen-painter.ts";

export const screenSize = { columns: 80, rows: 26 };

const margin = 24;
const titleBarHeight = 40;
const padding = { x: 24, y: 11 };
const windowWidth = screenSize.columns * cell.width + 2 * padding.x;
const top = 78;
const windowHeight = titleBarHeight + 2 * padding.y + screenSize.rows * cell.height;

export const frame: Area = { x: 0, y: 0, width: 1280, height: 720 };
export const header: Area = { x: 0, y: 0, width: frame.width, height: top - 6 };
export const terminalWindow: Area = { x: margin, y: top, width: windowWidth, height: windowHeight };
export const titleBar: Area = { ...terminalWindow, height: titleBarHeight };
export const terminalRows: Area = {
  x: margin + padding.x,
  y: top + titleBarHeight + padding.y,
  width: screenSize.columns * cell.width,
  height: screenSize.rows * cell.height,
};
const chatX = margin + windowWidth + 22;
export const chat: Area = { x: chatX, y: top, width: frame.width - chatX - margin, height: windowHeight };
const footerTop = top + windowHeight + 8;
export const footer: Area = { x: 0, y: footerTop, width: frame.width, height: frame.height - footerTop };
/** Over the terminal; a lower card is at its end. */
export const fileCard: Area = {
  x: terminalWindow.x + 46,
  y: terminalWindow.y + 58,
  width: windowWidth - 92,
  height: windowHeight - 86,
};
