import type { ProfilerParts } from '../board';
import type { RooflineRow } from '../answers/roofline';

export const typeText = (board: ProfilerParts, type: string): string => board.page.t(`flops.precision.${type}`);

/** What an operator is bound by, or that it is above a ceiling. */
export function boundText(board: ProfilerParts, { bound, roof, above }: RooflineRow): string {
  const { t: say } = board.page;
  if (above !== null && roof !== null) return say(`roofline.above.${roof}`);
  return bound === null ? say('roofline.unknown') : say(`roofline.bound.${bound}`);
}
