/** Which part of the plane a landscape seen from above shows, in shares of the plane: the same of all landscapes. */
import type { Codec } from '@insight-host/api';
import type { Extent } from './scale';

export interface PlanView {
  /** The middle of the picture: 0 is the left end of the plane, 1 the right. */
  readonly x: number;
  /** 0 is the lower end. */
  readonly y: number;
  readonly zoom: number;
}

export const WHOLE: PlanView = { x: 0.5, y: 0.5, zoom: 1 };
export const NEAREST = 64;

export const isWhole = ({ zoom }: PlanView): boolean => zoom === 1;

/** The same, within the plane. */
function within({ x, y, zoom }: PlanView): PlanView {
  const near = Math.max(1, Math.min(NEAREST, zoom));
  const middle = (at: number): number => Math.max(0.5 / near, Math.min(1 - 0.5 / near, at));
  return { x: middle(x), y: middle(y), zoom: near };
}

/** `factor` above 1 comes nearer; what is at `across` and `up` of the picture, as shares of its sides, stays there. */
export function zoomedAt(view: PlanView, factor: number, across: number, up: number): PlanView {
  const zoom = Math.max(1, Math.min(NEAREST, view.zoom * factor));
  const shift = 1 / view.zoom - 1 / zoom;
  return within({ x: view.x + (across - 0.5) * shift, y: view.y + (up - 0.5) * shift, zoom });
}

/** What is shown goes by these shares of the picture. */
export function movedBy(view: PlanView, across: number, up: number): PlanView {
  return within({ ...view, x: view.x - across / view.zoom, y: view.y - up / view.zoom });
}

/** The part of a plane that is seen. */
export function seenOf(extent: Extent, view: PlanView): Extent {
  const part = ([low, high]: readonly [number, number], middle: number): readonly [number, number] => [
    low + (high - low) * (middle - 0.5 / view.zoom),
    low + (high - low) * (middle + 0.5 / view.zoom),
  ];
  return isWhole(view) ? extent : { x: part(extent.x, view.x), y: part(extent.y, view.y) };
}

/** `0.25~0.5~4`: the middle across and up, and how near. */
export const planViewCodec: Codec<PlanView> = {
  parse(text) {
    const numbers = (text ?? '').split('~').map((part) => (part === '' ? NaN : Number(part)));
    const [x = NaN, y = NaN, zoom = NaN] = numbers;
    return numbers.length === 3 && numbers.every(Number.isFinite) ? within({ x, y, zoom }) : WHOLE;
  },
  format: (view) =>
    isWhole(view) ? null : [view.x, view.y, view.zoom].map((value) => Number(value.toPrecision(7))).join('~'),
};
