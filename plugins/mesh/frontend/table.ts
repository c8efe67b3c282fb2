import type { Page } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import { pointOf, rowOf, type Shape } from './shape';

export const MOST_ROWS = 100_000;

/** The points of a shape, with their colours. */
export function tableOf({ t: say }: Pick<Page, 't'>, shape: Shape): ChartData {
  const colors = shape.colors;
  const channels = ['red', 'green', 'blue'];
  return {
    head: [say('table.point'), 'x', 'y', 'z', ...(colors ? channels.map((name) => say(`table.${name}`)) : [])],
    rows: Array.from({ length: Math.min(shape.points, MOST_ROWS) }, (_, point) => [
      rowOf(shape, point),
      ...pointOf(shape, point),
      ...(colors ? colors.subarray(3 * point, 3 * point + 3) : []),
    ]),
  };
}
