import { fitBitmap, NO_PIXELS, TableButton, Tooltip, watchPixels, type PixelSize } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { BodyProps, ItemOf } from '../board';
import { cellAt, drawMatrix, layOut, macroF1, matrixTable, shadesOf } from './matrix';

/** Rows are true classes, columns predicted ones; the darker a cell, the fuller. */
export default function Confusion({ board, card, item }: BodyProps<ItemOf<'confusion'>>): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const { matrix } = item;
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal<PixelSize>(NO_PIXELS);
  const at = useSignal<readonly [number, number] | null>(null); // row and column under the pointer or the keys
  const theme = page.theme.value;
  const share = board.share.value;
  const locale = page.locale.value;
  const shades = useMemo(() => shadesOf(matrix, share), [matrix, share]);
  const layout = useMemo(() => layOut(matrix.labels, size.value), [matrix, size.value]);
  const count = matrix.labels.length;
  useEffect(() => void (board.hasMatrices.value = true), []);
  useEffect(() => (canvas.current ? watchPixels(canvas.current, (next) => (size.value = next)) : undefined), []);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || size.value.columns === 0) return;
    fitBitmap(canvas.current, size.value);
    drawMatrix(context, { matrix, shades, share, layout, size: size.value, theme, locale, say, at: at.value });
  }, [matrix, shades, share, layout, theme, locale, at.value]);
  const title = page.titleOf(card.tag);
  const place = canvas.current?.getBoundingClientRect();
  const pointed = at.value;
  const move = (event: KeyboardEvent): void => {
    const [row, column] = at.peek() ?? [-1, 0];
    const next = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1] }[event.key];
    const to = next ?? (event.key === 'ArrowRight' ? [row, column + 1] : null);
    if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
    const within = (value: number): number => Math.max(0, Math.min(count - 1, value));
    at.value = [within(to[0] as number), within(to[1] as number)];
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="confusion" data-testid="confusion">
      <canvas
        ref={canvas}
        role="img"
        tabIndex={0}
        aria-label={say('confusion.description', {
          count,
          accuracy: percent(matrix.accuracy),
        })}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          at.value = cellAt(layout, count, event.clientX - box.left, event.clientY - box.top);
        }}
        onPointerLeave={() => (at.value = null)}
        onBlur={() => (at.value = null)}
        onKeyDown={move}
      />
      <p class="measures">
        <span>{say('confusion.accuracy', { value: percent(matrix.accuracy) })}</span>
        <span>{say('confusion.macro', { value: macroF1(matrix).toFixed(3) })}</span>
        <TableButton
          page={page}
          name={card.tag}
          title={title}
          data={() => matrixTable(matrix, say)}
          load={() => import('@insight-host/kit/table')}
        />
      </p>
      {pointed && place && (
        <Tooltip
          x={place.left + layout.left + (pointed[1] + 1) * layout.side}
          y={place.top + layout.top + (pointed[0] + 1) * layout.side}
          name="cell"
        >
          <Reading matrix={matrix} row={pointed[0]} column={pointed[1]} say={say} locale={locale} />
        </Tooltip>
      )}
    </div>
  );
}

interface ReadingProps {
  readonly matrix: ItemOf<'confusion'>['matrix'];
  readonly row: number;
  readonly column: number;
  readonly say: (key: string, values?: Readonly<Record<string, string | number>>) => string;
  readonly locale: string;
}

function Reading({ matrix, row, column, say, locale }: ReadingProps): JSX.Element {
  const count = matrix.counts[row]?.[column] ?? 0;
  const predicted = matrix.counts.reduce((sum, counts) => sum + (counts[column] ?? 0), 0);
  const share = (whole: number): string => percent(whole > 0 ? count / whole : 0);
  return (
    <>
      <strong>{count.toLocaleString(locale)}</strong>
      <div>{say('confusion.true', { label: matrix.labels[row] ?? '', share: share(matrix.support[row] ?? 0) })}</div>
      <div>{say('confusion.predicted', { label: matrix.labels[column] ?? '', share: share(predicted) })}</div>
      {row === column && (
        <div>
          {say('confusion.of_class', {
            precision: (matrix.precision[row] ?? 0).toFixed(3),
            recall: (matrix.recall[row] ?? 0).toFixed(3),
            f1: (matrix.f1[row] ?? 0).toFixed(3),
          })}
        </div>
      )}
    </>
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
