/** A rectangle of the frame, in whole pixels. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}
