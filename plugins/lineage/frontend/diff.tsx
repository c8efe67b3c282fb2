/** What differs between runs. */
import { copyTable, Dialog } from '@insight-host/kit';
import { useAnswer } from '@insight-host/kit/lab';
import type { Frame, Column as RunColumn } from '@insight-host/kit/runs';
import { rowsOf, Table, type CellLook, type Column } from '@insight-host/kit/table';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { LABELS } from './axes';
import type { LineageParts } from './board';
import { loadRuns } from './source';

const ROW_HEIGHT = 28; // pixels
const MOST_ROWS = 22; // before the table scrolls
const PROPERTY_WIDTH = 220;
const RUN_WIDTHS = [110, 300] as const;
const LETTER = 8;
const SCROLL_BAR = 18;

/** The heading of a group, or what differs in one property. */
type Row = Difference | string;

/** Runs side by side: what differs between them, or everything. */
export function Diff({ board, runs }: { readonly board: LineageParts; readonly runs: readonly string[] }): JSX.Element {
  const { t: say } = board.page;
  const everything = useSignal(false);
  const { value: loaded, error } = useAnswer(JSON.stringify([runs, board.loading.version.value]), () =>
    loadRuns(board.page.ctx, runs, board.loading.listing.peek()?.columns ?? []),
  );
  const all = loaded ? differencesOf(loaded, runs) : [];
  const shown = everything.value ? all : all.filter(({ differs }) => differs);
  const copy = (): void => {
    const head = [say('column.run'), ...runs.map((run) => board.page.nameOf(run))];
    void copyTable(board.page, [
      head,
      ...shown.map(({ column, texts }) => [column.name, ...texts.map((text) => text ?? '')]),
    ]);
  };
  return (
    <Dialog name="diff" title={say('diff.title', { count: runs.length })} onClose={() => board.diff.set([], 'push')}>
      <div class="row between">
        <label>
          <input
            type="checkbox"
            data-control="everything"
            checked={everything.value}
            onClick={() => (everything.value = !everything.value)}
          />
          {say('diff.everything')}
        </label>
        <span class="hint" data-testid="diff-count">
          {loaded && say('diff.count', { count: all.filter(({ differs }) => differs).length, all: all.length })}
        </span>
        <button type="button" data-action="copy-diff" onClick={copy}>
          {say('diff.copy')}
        </button>
      </div>
      {error && <p class="problem">{error}</p>}
      {loaded && shown.length > 0 && <Differences board={board} runs={runs} shown={shown} />}
      {loaded && shown.length === 0 && (
        <p class="hint" data-testid="no-difference">
          {say('diff.none')}
        </p>
      )}
    </Dialog>
  );
}

interface DifferencesProps {
  readonly board: LineageParts;
  readonly runs: readonly string[];
  readonly shown: readonly Difference[];
}

function Differences({ board, runs, shown }: DifferencesProps): JSX.Element {
  const { t: say } = board.page;
  const rows = COMPARED.flatMap((group): readonly Row[] => {
    const own = shown.filter((difference) => difference.group === group);
    return own.length > 0 ? [group, ...own] : [];
  });
  const columns = runs.map((run, at) => runColumn(board, run, at, shown));
  const width = columns.reduce((sum, column) => sum + column.width, PROPERTY_WIDTH + SCROLL_BAR);
  const lines = Math.min(MOST_ROWS, rows.length) + 1;
  return (
    <div class="diff-place" style={{ width: `${width}px`, height: `${lines * ROW_HEIGHT + SCROLL_BAR}px` }}>
      <Table<Row>
        name="diff"
        class="diff"
        label={say('diff.title', { count: runs.length })}
        rows={rowsOf(rows)}
        frozen={[propertyColumn(board)]}
        columns={columns}
        rowHeight={ROW_HEIGHT}
        idOf={(row) => (isHeading(row) ? `group ${row}` : row.column.name)}
        line={(row) =>
          isHeading(row) ? { class: 'heading', data: { group: row } } : { data: { property: row.column.name } }
        }
        onCopyRows={(table, all) => void copyTable(board.page, table, all)}
      />
    </div>
  );
}

const isHeading = (row: Row): row is string => typeof row === 'string';

function propertyColumn({ page: { t: say } }: LineageParts): Column<Row> {
  const titleOf = (row: Row): string => {
    if (isHeading(row)) return say(`group.${row}`);
    const { group, name, title } = row.column;
    return group === 'annotation' ? say(`column.${name}`) : group === 'scalar' ? name : title;
  };
  return {
    key: 'property',
    title: say('diff.property'),
    kind: 'text',
    width: PROPERTY_WIDTH,
    cell: (row) => ({ content: titleOf(row), title: isHeading(row) ? undefined : row.column.name }),
    value: titleOf,
  };
}

function runColumn(board: LineageParts, run: string, at: number, shown: readonly Difference[]): Column<Row> {
  const title = board.page.nameOf(run);
  const letters = Math.max(
    title.length,
    ...shown.map((row) => (row.texts[at] ?? '').length + changeOf(row, at).length),
  );
  return {
    key: run,
    title,
    hint: run,
    kind: 'text',
    width: Math.max(RUN_WIDTHS[0], Math.min(RUN_WIDTHS[1], letters * LETTER + 40)),
    grows: true,
    tool: <span class="dot" style={{ background: board.page.runsByName.value.get(run)?.color }} />,
    cell: (row) => (isHeading(row) ? { content: '' } : cellOf(row, at)),
    value: (row) => (isHeading(row) ? null : (row.texts[at] ?? null)),
  };
}

function cellOf(row: Difference, at: number): CellLook {
  const { column, texts } = row;
  const text = texts[at] ?? null;
  const change = changeOf(row, at);
  const classes = [column.isNumeric && 'exact', text === null && 'missing', at > 0 && text !== texts[0] && 'other'];
  return {
    content: (
      <>
        {text ?? '—'}
        {change && <span class="change">{change}</span>}
      </>
    ),
    title: [text, change].filter(Boolean).join(' '),
    class: classes.filter(Boolean).join(' '),
  };
}

/** How far from the value of the first run; empty where that is not a number. */
function changeOf({ changes }: Difference, at: number): string {
  const change = changes[at] ?? null;
  return change === null ? '' : `${change > 0 ? '+' : '−'}${percent(Math.abs(change))}`;
}

function percent(share: number): string {
  const value = share * 100;
  return `${value >= 1000 ? value.toExponential(1) : Number(value.toPrecision(3))} %`;
}

/** What differs between runs. */
const COMPARED: readonly string[] = [
  'hyperparameter',
  'custom',
  'model',
  'dataset',
  'pipeline',
  'metric',
  'scalar',
  'annotation',
];

interface Difference {
  readonly column: RunColumn;
  readonly group: string;
  /** The text of each run, null where it is missing. */
  readonly texts: readonly (string | null)[];
  /** Of runs with a number: how far from the first run's, relative to that; null without. */
  readonly changes: readonly (number | null)[];
  readonly differs: boolean;
}

/** Everything that a run may differ in, in groups; the first run is what the others are compared with. */
export function differencesOf(frame: Frame, runs: readonly string[]): readonly Difference[] {
  const rows = runs.map((run) => frame.rowOf.get(run) ?? -1);
  return COMPARED.flatMap((group) =>
    [...frame.columns.values()]
      .filter((column) => column.group === group)
      .map((column) => {
        const shown = rows.map((row) => (row < 0 || column.isMissing(row) ? null : column.text(row)));
        const numbers = rows.map((row) => (row < 0 ? NaN : (column.numbers[row] as number)));
        const exact = rows.map((row) => JSON.stringify(column.values[row] ?? null));
        const isRounded = new Set(shown).size < new Set(exact).size; // different values have one text
        const texts = shown.map((text, at) =>
          text !== null && isRounded ? exactText(exact[at] as string, text) : text,
        );
        const [base] = numbers as [number];
        const isAmount = column.isNumeric && !LABELS.includes(column.name);
        const changes = numbers.map((value, at) =>
          at > 0 && isAmount && Number.isFinite(value) && Number.isFinite(base) && base !== 0 && value !== base
            ? (value - base) / Math.abs(base)
            : null,
        );
        return { column, group, texts, changes, differs: new Set(exact).size > 1 };
      })
      .filter(({ texts }) => texts.some((text) => text !== null)),
  );
}

/** A number with all its digits; any other value as it is shown. */
const exactText = (exact: string, shown: string): string => (/^-?[0-9]/.test(exact) ? exact.replace(/^-/, '−') : shown);
