import type { Cursor } from '@insight-host/kit/lines';
import { byName } from '@insight-host/kit';
import type { Lines } from './lines';

type Point = Cursor['nearest'][number];
export type TooltipOrder = 'nearest' | 'highest' | 'lowest' | 'name';
export const ORDERS: readonly TooltipOrder[] = ['nearest', 'highest', 'lowest', 'name'];

/** The points that a reading shows, in the chosen order. */
export function ordered(points: Cursor['nearest'], order: TooltipOrder, lines: Lines): Cursor['nearest'] {
  if (order === 'nearest') return points;
  const label = (id: string): string => lines.sources.get(id)?.label ?? '';
  const up = (a: number, b: number): number => (a === b ? 0 : Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b);
  const by = {
    highest: (a: Point, b: Point) => (Number.isNaN(a.y) || Number.isNaN(b.y) ? up(a.y, b.y) : up(b.y, a.y)),
    lowest: (a: Point, b: Point) => up(a.y, b.y),
    name: (a: Point, b: Point) => byName(label(a.id), label(b.id)),
  };
  return [...points].sort(by[order]);
}
