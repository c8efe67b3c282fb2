/** What one cell says. */
import type { JSX } from 'preact';
import { flagWords, layerAt, runAt, type HeatMap } from './answer';
import type { HealthBoard } from './board';
import { numberText } from './words';

interface ReadingProps {
  readonly board: HealthBoard;
  readonly map: HeatMap;
  readonly row: number;
  readonly column: number;
}

export function Reading({ board, map, row, column }: ReadingProps): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const locale = page.locale.value;
  const cell = row * map.columns + column;
  const [value, flags] = [map.numbers[cell] ?? NaN, map.flags[cell] ?? 0];
  const layer = layerAt(map, row);
  const run = runAt(map, row, column);
  const format = new Intl.NumberFormat(locale);
  const [first, last] = [map.firsts[column] ?? 0, map.lasts[column] ?? 0];
  return (
    <>
      <strong>{layer ? layer.name : say('layer.all')}</strong>
      {layer && <span class="kind"> {say(`kind.${layer.kind}`)}</span>}
      {flags !== 0 && <div class="bad">{flagWords(flags)}</div>}
      <div>
        {say(`measure.${map.measure}`)}: {Number.isNaN(value) ? say('unknown') : numberText(map.measure, value, locale)}
      </div>
      {map.view !== 'matrix' && (
        <div>
          {first === last
            ? say('step', { step: format.format(first) })
            : say('steps', { first: format.format(first), last: format.format(last) })}
        </div>
      )}
      {run !== undefined && <div>{page.nameOf(run)}</div>}
    </>
  );
}
