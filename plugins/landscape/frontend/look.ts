import { useMemo } from 'preact/hooks';
import type { LandscapeParts } from './board';
import { inkOf } from './ink';
import type { Item, Look } from './plan';
import { sharedExtent, sharedScale } from './scale';

/** How all of these are drawn: one scale and one plane, whether they share a picture or not. */
export function useLook(board: LandscapeParts, items: readonly Item[], bar = true): Look {
  const theme = board.page.theme.value;
  const [form, ramp, levels, log] = [board.form.value, board.ramp.value, board.levels.value, board.log.value];
  const [color, width] = [board.pathColor.value, board.pathWidth.value];
  const front = board.compared.front.value;
  return useMemo(() => {
    const landscapes = items.map(({ landscape }) => landscape);
    const extent = items.length > 0 ? sharedExtent(landscapes) : { x: [0, 1] as const, y: [0, 1] as const };
    return {
      form,
      scale: sharedScale(landscapes, log),
      extent,
      ramp,
      levels,
      bar,
      front,
      path: { color, width },
      ink: inkOf(theme),
    };
  }, [items, theme, form, ramp, levels, log, bar, front, color, width]);
}
