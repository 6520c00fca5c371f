// The colours of carom's pictures.

import { Color, SRGBColorSpace } from "three";

const colour = (red, green, blue) => new Color().setRGB(red, green, blue, SRGBColorSpace);

export const HAZE = colour(0.925, 0.945, 0.96);
export const PALETTE = [
  colour(0.16, 0.44, 0.59), colour(0.38, 0.65, 0.76), colour(0.2, 0.55, 0.53), colour(0.91, 0.77, 0.42),
  colour(0.45, 0.48, 0.66), colour(0.62, 0.7, 0.74),
];
/** Bodies a and b of the contact that is shown. */
export const PAIR = [colour(0.86, 0.1, 0.12), colour(0.98, 0.46, 0.2)];
export const PICKED = colour(0.98, 0.78, 0.1);
export const TRAIL = colour(0.72, 0.45, 0.02);
export const INK = colour(0.06, 0.09, 0.13);
export const SPARK = colour(0.86, 0.1, 0.12);
export const LINE = colour(0.35, 0.45, 0.54);
export const BOX = colour(0.1, 0.35, 0.55);

export const paletteOf = (body) => PALETTE[body % PALETTE.length];
