/** How points look, whatever draws them, and what is drawn over them: axes and labels. */
import { visibleText, type Rgb } from '@insight-host/kit';
import type { Matrix } from '@insight-host/kit/scene';
import type { Projected } from './camera';

/** The small pictures of all points in one, row by row. */
export interface Atlas {
  readonly image: HTMLImageElement;
  /** Of one picture, in pixels of the image. */
  readonly width: number;
  readonly height: number;
}

/** Sizes are in pixels of the canvas. */
export interface Look {
  readonly size: number;
  /** Of points that stand out. */
  readonly frontSize: number;
  /** Without perspective. */
  readonly flat: boolean;
  readonly background: Rgb;
  /** Around points that stand out. */
  readonly ring: Rgb;
  readonly atlas: Atlas | null;
}

/** Points far from the viewer have less of their colour: from a distance on, over a length, at most so much less. */
export const FOG = { from: 2.6, length: 2, most: 0.55 } as const;
/** Pixels that the ring around them adds. */
export const RING = 4;

/** What is drawn over the points: axes and labels. */
export interface Ink {
  readonly text: string;
  readonly faint: string;
  readonly surface: string;
}
export interface Label {
  readonly point: number;
  readonly text: string;
  /** Drawn even where it covers others. */
  readonly isSure: boolean;
}

const FONT = 11.5;
const LINE = 15; // pixels of a label's height
const LONGEST = 40; // letters

/**
 * Labels next to their places on the screen, one for each, as many as fit without covering each other; the first go
 * first.
 */
export function drawLabels(
  context: CanvasRenderingContext2D,
  { x, y }: Projected,
  labels: readonly Label[],
  size: { readonly width: number; readonly height: number },
  font: string,
  ink: Ink,
): void {
  context.font = `${FONT}px ${font}`;
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = ink.surface;
  context.fillStyle = ink.text;
  const taken: [left: number, top: number, right: number][] = [];
  for (const [i, { text, isSure }] of labels.entries()) {
    const [left, middle] = [(x[i] as number) + 8, y[i] as number];
    if (!(left > -40 && left < size.width && middle > 0 && middle < size.height)) continue;
    const shown = visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
    const box: [number, number, number] = [left, middle - LINE / 2, left + context.measureText(shown).width + 4];
    const covers = taken.some(([l, t, r]) => box[0] < r && box[2] > l && box[1] < t + LINE && box[1] + LINE > t);
    if (covers && !isSure) continue;
    taken.push(box);
    context.strokeText(shown, left, middle);
    context.fillText(shown, left, middle);
  }
}

/** Lines through the middle of the scene along its axes, with their names at the positive ends. */
export function drawAxes(
  context: CanvasRenderingContext2D,
  view: Matrix,
  names: readonly string[],
  { width, height }: { readonly width: number; readonly height: number },
  font: string,
  ink: Ink,
): void {
  const at = (place: readonly number[]): readonly [number, number] | null => {
    const row = (k: number): number =>
      (view[k] as number) * (place[0] as number) +
      (view[4 + k] as number) * (place[1] as number) +
      (view[8 + k] as number) * (place[2] as number) +
      (view[12 + k] as number);
    const w = row(3);
    return w < 0.05 ? null : [((row(0) / w + 1) / 2) * width, ((1 - row(1) / w) / 2) * height];
  };
  context.font = `${FONT}px ${font}`;
  context.textBaseline = 'middle';
  context.strokeStyle = ink.faint;
  context.globalAlpha = 0.45;
  context.lineWidth = 1;
  const ends = names.map((_, axis) => {
    const [from, to] = [-1, 1].map((sign) => at([0, 1, 2].map((k) => (k === axis ? sign : 0))));
    if (from && to) {
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(...to);
      context.stroke();
    }
    return to;
  });
  context.globalAlpha = 1;
  context.fillStyle = ink.faint;
  context.strokeStyle = ink.surface;
  context.lineWidth = 3;
  names.forEach((name, axis) => {
    const end = ends[axis];
    if (!end) return;
    context.strokeText(name, end[0] + 4, end[1]);
    context.fillText(name, end[0] + 4, end[1]);
  });
}
