import {
  Button,
  CardHead,
  Download,
  problemOf,
  Seldom,
  valueText,
  type CardKey,
  type ContentOfCard,
} from '@insight-host/kit';
import { recordNotes, StepSlider, timeLabel, useSteps, type Records } from '@insight-host/kit/steps';
import { Table, type Area, type CellLook, type Column } from '@insight-host/kit/table';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Block, Sheet } from './blocks';
import { downloadOf, writerOf, type TensorParts } from './board';
import { cellText, shapeText, type Format } from './numbers';
import { SliceBoxes } from './slice_boxes';
import { StatisticsDialog } from './statistics_dialog';
import {
  copyArea,
  heatOf,
  useStatistics,
  useValues,
  valuesQuery,
  type Extremes,
  type Heat,
  type Statistics,
} from './use_values';

/** The values of one tag in one run, a step at a time. */
export function TableBody({ board, card, place }: ContentOfCard<TensorParts>): JSX.Element {
  const { t: say } = board.page;
  const steps = useSteps(board, card);
  const { records, index } = steps;
  const values = useValues(board, card, place, records, index);
  const { statistics, fresh, extremes } = useStatistics(board, card, place, records, index);
  const problem = problemOf(board.page, card, steps, values);
  const open = useSignal(false);
  const there = records !== null && index >= 0;
  const slice = board.slices.of(card) ?? '';
  const { sheet } = values;
  const step = there ? (records.steps[index] ?? NaN) : NaN;
  const label = there
    ? say('table.label', {
        tag: board.page.titleOf(card.tag),
        run: board.page.nameOf(card.run ?? ''),
        at: timeLabel(records, index, board.time.value, board.page.locale.value, say),
      })
    : '';
  return (
    <>
      <CardHead board={board} card={card} note={<Plugin board={board} card={card} />}>
        <Seldom>
          <Button
            action="statistics"
            icon="info"
            label={say('statistics')}
            disabled={statistics === null}
            onPress={() => (open.value = true)}
          />
        </Seldom>
        {there && sheet && (
          <Download
            label={say(sheet.kind === 'string' ? 'download.json' : 'download')}
            href={downloadOf(board, card, records, index, sheet.kind)}
          />
        )}
      </CardHead>
      {sheet && (
        <SliceBoxes
          board={board}
          sheet={sheet}
          slice={slice}
          onApply={(text) => board.slices.set(card, text || null)}
        />
      )}
      <div
        class={values.busy ? 'view busy' : 'view'}
        data-testid="tensor-view"
        data-step={!values.busy && there ? step : undefined}
      >
        {problem ? (
          <div class="refused">
            {problem}
            {slice && values.error && (
              <button type="button" data-action="slice-default" onClick={() => board.slices.set(card, null)}>
                {say('slice.reset')}
              </button>
            )}
          </div>
        ) : sheet && sheet.rows > 0 && sheet.columns > 0 ? (
          <Sheeted
            board={board}
            sheet={sheet}
            blocks={values.blocks}
            extremes={extremes}
            label={label}
            onArea={values.look}
            onCopy={(area) => there && void copyArea(board, valuesQuery(card, records, index, slice), sheet, area)}
          />
        ) : sheet ? (
          <p class="nothing" data-testid="no-values">
            {say('table.empty')}
          </p>
        ) : null}
      </div>
      <StepSlider board={board} card={card} steps={steps} busy={values.busy} />
      <footer data-testid="card-status">
        <span
          class="counts"
          title={there && sheet ? countsOf(board, records, sheet, statistics, values.cut).join('\n') : ''}
        >
          {there && sheet && !values.error && countsOf(board, records, sheet, statistics, values.cut).join(' · ')}
        </span>
        {statistics && !values.error && <Odd board={board} statistics={statistics} />}
      </footer>
      {open.value && statistics && (
        <StatisticsDialog
          board={board}
          card={card}
          statistics={statistics}
          fresh={fresh}
          onClose={() => (open.value = false)}
        />
      )}
    </>
  );
}

interface SheetedProps {
  readonly board: TensorParts;
  readonly sheet: Sheet;
  readonly blocks: readonly Block[];
  readonly extremes: Extremes;
  readonly label: string;
  readonly onArea: (area: Area) => void;
  readonly onCopy: (area: Area) => void;
}

const TEXT = 28; // characters of a column of strings
const ONE_TEXT = 60; // of the only one
const ROW = 22; // pixels
const DIGIT = 7.4; // pixels of a character

const wide = (characters: number): number => Math.round(characters * DIGIT + 17);

/** A slice as a table, its numbers in the format of the toolbar. */
function Sheeted({ board, sheet, blocks, extremes, label, onArea, onCopy }: SheetedProps): JSX.Element {
  const format = board.format.value;
  const heat = board.heat.value;
  const widest = useWidest(sheet, blocks, format);
  const last = useRef<Block | undefined>(undefined);
  const find = (row: number, column: number): Block | undefined => {
    if (!last.current?.has(row, column) || !blocks.includes(last.current))
      last.current = blocks.findLast((block) => block.has(row, column));
    return last.current;
  };
  const cell = (row: number, column: number): CellLook | null => {
    const block = find(row, column);
    if (!block) return null;
    const value = block.at(row, column);
    const text = cellText(value, sheet.kind, format);
    const isText = value.text !== undefined;
    const isOdd = !isText && !(Number.isFinite(Number(value.real)) && Number.isFinite(value.imaginary ?? 0));
    return {
      content: text,
      title: value.text ?? text,
      class: isText ? 'left' : isOdd ? 'odd' : undefined,
      style: heat ? heatStyle(heatOf(value, extremes)) : undefined,
    };
  };
  const [firstRow, firstColumn] = [sheet.open[0]?.start ?? null, sheet.open[1]?.start ?? null];
  const places: Column<number> = {
    key: 'row',
    title: '',
    kind: 'number',
    width: wide(Math.max(2, String((firstRow ?? 0) + sheet.rows - 1).length)),
    cell: (row) => ({ content: (firstRow ?? 0) + row }),
  };
  const width = wide(Math.max(4, widest));
  return (
    <Table<number>
      name="grid"
      label={label}
      rows={{ count: sheet.rows, at: (row) => row, look: onArea }}
      frozen={firstRow === null ? [] : [places]}
      columns={{
        count: sheet.columns,
        width,
        at: (column) => ({
          key: String((firstColumn ?? 0) + column),
          title: String((firstColumn ?? 0) + column),
          kind: 'number',
          width,
          cell: (row) => cell(row, column),
        }),
      }}
      rowHeight={ROW}
      heads={firstColumn !== null}
      onCopyCells={onCopy}
    />
  );
}

function heatStyle(heat: Heat | null): { background?: string } {
  return heat ? { background: `rgb(var(--heat-${heat.sign}) / ${(0.04 + 0.56 * heat.share).toFixed(3)})` } : {};
}

const LOOKED_AT = 2000; // cells of a block

/** Characters of the widest cell so far: columns may grow, but do not shrink from step to step. */
function useWidest(sheet: Sheet, blocks: readonly Block[], format: Format): number {
  const known = useRef({ of: '', widest: 0, seen: new WeakSet<Block>() });
  return useMemo(() => {
    if (sheet.kind === 'string') return sheet.columns === 1 ? ONE_TEXT : TEXT;
    const of = JSON.stringify([sheet.kind, sheet.open.length, format]);
    if (known.current.of !== of) known.current = { of, widest: 0, seen: new WeakSet() };
    const { current } = known;
    for (const block of blocks) {
      if (current.seen.has(block)) continue;
      current.seen.add(block);
      const { row, rowEnd, column, columnEnd } = block.area;
      const stride = Math.max(1, Math.ceil(((rowEnd - row) * (columnEnd - column)) / LOOKED_AT));
      for (let place = 0, size = (rowEnd - row) * (columnEnd - column); place < size; place += stride) {
        const wide = columnEnd - column;
        current.widest = Math.max(
          current.widest,
          cellText(block.at(row + Math.floor(place / wide), column + (place % wide)), sheet.kind, format).length,
        );
      }
    }
    return current.widest;
  }, [sheet, blocks, format]);
}

/** Names the summary plugin of a value that no plugin here claims. */
function Plugin({ board, card }: { readonly board: TensorParts; readonly card: CardKey }): JSX.Element | null {
  const info = board.tags.infoOf(card.run ?? '', card.tag);
  const plugin = info && writerOf(info);
  return plugin ? (
    <span class="plugin" title={board.page.t('others.of', { plugin })}>
      {plugin}
    </span>
  ) : null;
}

function countsOf(
  board: TensorParts,
  records: Records,
  sheet: Sheet,
  statistics: Statistics | null,
  cut: number,
): readonly string[] {
  const { t: say } = board.page;
  const size = sheet.shape.reduce((product, side) => product * side, 1);
  const known = (name: 'min' | 'max' | 'mean'): string[] => {
    const value = statistics?.[name];
    return value === null || value === undefined || sheet.kind === 'string'
      ? []
      : [`${say(`statistics.${name}`)} ${typeof value === 'number' ? valueText(value) : value}`];
  };
  return [
    shapeText(sheet.dtype, sheet.shape),
    say('values.count', { count: size, values: size.toLocaleString(board.page.locale.value) }),
    ...known('min'),
    ...known('max'),
    ...known('mean'),
    ...(cut > 0 ? [say('values.cut', { count: cut })] : []),
    ...recordNotes(board.page, records),
  ];
}

/** Number of non-finite values. */
function Odd({
  board,
  statistics,
}: {
  readonly board: TensorParts;
  readonly statistics: Statistics;
}): JSX.Element | null {
  const { nan, pos_inf: inf, neg_inf: negInf } = statistics;
  const number = (n: number): string => n.toLocaleString(board.page.locale.value);
  const odd = [nan && `${number(nan)} NaN`, inf && `${number(inf)} +Inf`, negInf && `${number(negInf)} −Inf`].filter(
    Boolean,
  );
  return odd.length > 0 ? (
    <span class="nonfinite" data-testid="nonfinite" title={board.page.t('values.nonfinite')}>
      {odd.join(board.page.t('list.separator'))}
    </span>
  ) : null;
}
