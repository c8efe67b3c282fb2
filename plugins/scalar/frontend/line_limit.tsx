/** Which lines a card draws where there are more than it can show, and the line below its title that says so. */
import type { JSX } from 'preact';
import type { ScalarParts } from './board';
import { layersOf } from './panels/layers';

const MOST = 60; // lines

/** Names of the runs that a layer of a card draws: the first of the run panel, in the order of `names`. */
export function drawnOf(
  { lines, drawing, grouping }: ScalarParts,
  names: readonly string[],
  layers: number,
): readonly string[] {
  const most = Math.max(1, Math.floor(MOST / layers));
  if (names.length <= most || lines.value === 'all' || grouping.isOn.value) return names;
  const { places } = drawing.value;
  const place = (name: string): number => places.get(name) ?? Infinity;
  const first = new Set([...names].sort((a, b) => place(a) - place(b)).slice(0, most));
  return names.filter((name) => first.has(name));
}

/** The run that lies over all others: the best one, while the run panel sorts by a metric. */
export function bestOf({ drawing }: ScalarParts, names: readonly string[]): string | null {
  const { places, orders } = drawing.value;
  if (!orders.slice(1).some(({ isChosen }) => isChosen)) return null;
  const place = (name: string): number => places.get(name) ?? Infinity;
  return names.reduce<string | null>((best, name) => (best === null || place(name) < place(best) ? name : best), null);
}

interface LineLimitProps {
  readonly board: ScalarParts;
  readonly tag: string;
}

/** "60 of 240 lines: newest · best val_acc · all", for a card with more lines than it draws at first. */
export function LineLimit({ board, tag }: LineLimitProps): JSX.Element | null {
  if (board.grouping.isOn.value) return null;
  const { t: say } = board.page;
  const layers = layersOf(board, tag);
  const names = layers.map((layer) => board.tags.runNames(layer.tag));
  const total = names.reduce((sum, one) => sum + one.length, 0);
  if (total <= MOST) return null;
  const drawn = names.reduce((sum, one) => sum + drawnOf(board, one, layers.length).length, 0);
  const isAll = board.lines.value === 'all';
  const choices = [
    ...board.drawing.value.orders.map(({ text, isChosen, choose }) => ({
      text,
      isChosen: isChosen && !isAll,
      choose: () => {
        board.lines.set('first');
        choose();
      },
    })),
    { text: say('lines.all'), isChosen: isAll, choose: () => board.lines.set('all') },
  ];
  return (
    <p class="line-limit" data-testid="line-limit">
      <span>{say('lines.some', { drawn, count: total })}</span>
      {choices.map(({ text, isChosen, choose }) => (
        <button key={text} type="button" aria-pressed={isChosen} onClick={choose}>
          {text}
        </button>
      ))}
    </p>
  );
}
