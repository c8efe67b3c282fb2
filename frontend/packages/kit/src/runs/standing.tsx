/** What the columns of a table say about the rows that are shown: which values are best, and which are all the same. */
import type { JSX } from 'preact';
import type { Column, Value } from './frame';
import type { HeadText, SayOfRuns } from './sections';

/** Of the finite numbers of a column among some rows. */
export interface Standing {
  /** Ends of the bars: without the few that are far from the others. */
  readonly low: number;
  readonly high: number;
  /** NaN where it is not known which values are better. */
  readonly best: number;
}

const FAR = 0.02; // of the numbers at either end, once there are
const MANY = 25; // of them
const known = new WeakMap<Int32Array, Map<Column, Standing | null>>();

/** Computed once for the same rows; null without two different numbers. */
export function standingOf(column: Column, rows: Int32Array): Standing | null {
  let found = known.get(rows);
  if (!found) known.set(rows, (found = new Map()));
  const before = found.get(column);
  if (before !== undefined) return before;
  const standing = computed(column, rows);
  found.set(column, standing);
  return standing;
}

function computed({ numbers, goal }: Column, rows: Int32Array): Standing | null {
  const finite = new Float64Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    const value = numbers[rows[at] as number] as number;
    if (Number.isFinite(value)) finite[count++] = value;
  }
  if (count < 2) return null;
  const own = finite.subarray(0, count).sort();
  const [low, high] = [own[0] as number, own[own.length - 1] as number];
  if (low === high) return null;
  const cut = own.length >= MANY ? Math.floor(FAR * own.length) : 0;
  const ends = [own[cut] as number, own[own.length - 1 - cut] as number] as const;
  const best = goal === null ? NaN : goal === 'max' ? high : low;
  return { low: ends[0] < ends[1] ? ends[0] : low, high: ends[0] < ends[1] ? ends[1] : high, best };
}

/** How long the bar of a value is, from 0 to 1. */
export function shareOf({ low, high }: Standing, value: number): number {
  return Math.max(0, Math.min(1, (value - low) / (high - low)));
}

/** Columns that say the same of all of these rows, or nothing of any; of one row nothing is said. */
export function equalColumns(columns: readonly Column[], rows: Int32Array): readonly Column[] {
  if (rows.length < 2) return [];
  // annotations are a place to write, whatever they say now
  return columns.filter(({ group, values }) => group !== 'annotation' && areEqual(values, rows));
}

function areEqual(values: readonly Value[], rows: Int32Array): boolean {
  const first = values[rows[0] as number] ?? null;
  const isList = typeof first === 'object' && first !== null;
  const text = isList ? JSON.stringify(first) : '';
  for (let at = 1; at < rows.length; at++) {
    const value = values[rows[at] as number] ?? null;
    if (isList ? JSON.stringify(value) !== text : value !== first) return false;
  }
  return true;
}

/** Whether these are the same rows, in whatever order. */
export function areSame(left: Int32Array, right: Int32Array): boolean {
  if (left.length !== right.length) return false;
  const rows = new Set(left);
  return right.every((row) => rows.has(row));
}

const MOST = 40; // columns that are named

export interface EqualColumnsProps {
  readonly columns: readonly Column[];
  readonly heads: ReadonlyMap<string, HeadText>;
  readonly rows: Int32Array;
  readonly say: SayOfRuns;
  /** Whether the table has these columns all the same. */
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** What all runs of the table have in common, in one line instead of columns. */
export function EqualColumns({ columns, heads, rows, say, open, onOpen }: EqualColumnsProps): JSX.Element | null {
  const [first] = rows;
  if (columns.length === 0 || first === undefined) return null;
  const known = columns.filter((column) => !column.isMissing(first));
  const without = columns.length - known.length;
  const texts = known
    .slice(0, MOST)
    .map((column) => ({ name: heads.get(column.name)?.text ?? column.title, value: column.text(first), column }));
  const count = rows.length.toLocaleString();
  return (
    <div class="equal-columns" data-testid="equal-columns">
      <span class="what" title={texts.map(({ column, value }) => `${column.title} = ${value}`).join('\n')}>
        {open
          ? say('rt.equal.shown', { columns: columns.length, count })
          : known.length > 0 && (
              <>
                {say('rt.equal', { count })}{' '}
                {texts.map(({ name, value, column }, at) => (
                  <span key={column.name} data-equal={column.name}>
                    {at > 0 && ' · '}
                    <span class="of">{name}</span> {value}
                  </span>
                ))}
                {known.length > MOST && ' …'}
              </>
            )}
        {!open && without > 0 && (
          <span>
            {known.length > 0 && ' · '}
            {say('rt.equal.more', { count: without })}
          </span>
        )}
      </span>
      <button
        type="button"
        class="ih-link"
        data-action="equal-columns"
        aria-expanded={open}
        onClick={() => onOpen(!open)}
      >
        {say(open ? 'rt.equal.fold' : 'rt.equal.show')}
      </button>
    </div>
  );
}
