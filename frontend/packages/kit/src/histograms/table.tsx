import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Board, TagInfo } from '@insight-host/kit';
import type { HistogramError, Histograms } from './answer';
import { durationText, timeText, valueText } from '@insight-host/kit';

const ROW = 22; // pixels
const BEYOND = 8; // rows drawn above and below what is seen

export interface HistogramTableProps<Info extends TagInfo> {
  readonly board: Board<Info>;
  readonly found: Histograms;
  /** Index of the row under the pointer in the chart. */
  readonly marked: number | null;
  readonly onRow: (row: number | null) => void;
}

type Entry = { readonly row: number } | { readonly error: HistogramError };

/** Statistics of every row; unreadable records are listed in step order. */
export function HistogramTable<Info extends TagInfo>({ board, found, marked, onRow }: HistogramTableProps<Info>): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(400);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => (height.value = element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const say = board.t.bind(board);
  const locale = board.locale.value;
  const runs = found.runs.length > 0;
  const entries = entriesOf(found);
  const odd = ([['NaN', found.nans], ['+Inf', found.posInfs], ['−Inf', found.negInfs]] as const).filter(([, column]) => column.some((many) => many > 0));
  const first = Math.max(0, Math.floor(top.value / ROW) - BEYOND);
  const last = Math.min(entries.length, Math.ceil((top.value + height.value) / ROW) + BEYOND);
  const value = (column: Float64Array, row: number): string => (Number.isNaN(column[row] as number) ? '–' : valueText(column[row] as number));
  return (
    <div class="histogram-table" ref={place} data-testid="histogram-table" onScroll={(event) => (top.value = event.currentTarget.scrollTop)} onPointerLeave={() => onRow(null)}>
      <table aria-rowcount={entries.length + 1}>
        <thead>
          <tr>
            {runs && <th>{say('histogram.run')}</th>}
            <th class="number">{say('time.kind.step')}</th>
            {!runs && <th class="number">{say('time.kind.relative')}</th>}
            <th class="number">{say('histogram.total')}</th>
            {(['min', 'mean', 'max'] as const).map((name) => <th key={name} class="number">{say(`histogram.${name}`)}</th>)}
            {odd.map(([name]) => <th key={name} class="number bad">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr style={{ height: first * ROW }} />}
          {entries.slice(first, last).map((entry, i) =>
            'row' in entry ? (
              <tr key={first + i} class={entry.row === marked ? 'marked' : ''} onPointerEnter={() => onRow(entry.row)} title={timeText(found.wallTimes[entry.row] as number, locale)}>
                {runs && <td class="name" title={found.runs[entry.row]}><i class="swatch" style={{ background: board.runsByName.value.get(found.runs[entry.row] ?? '')?.color ?? 'var(--faint)' }} /> {board.nameOf(found.runs[entry.row] ?? '')}</td>}
                <td class="number">{(found.steps[entry.row] as number).toLocaleString(locale)}</td>
                {!runs && <td class="number">{durationText((found.wallTimes[entry.row] as number) - found.origin, locale)}</td>}
                <td class="number">{(found.totals[entry.row] as number).toLocaleString(locale)}</td>
                <td class="number">{value(found.mins, entry.row)}</td>
                <td class="number">{value(found.means, entry.row)}</td>
                <td class="number">{value(found.maxs, entry.row)}</td>
                {odd.map(([name, column]) => <td key={name} class={column[entry.row] ? 'number bad' : 'number'}>{(column[entry.row] as number).toLocaleString(locale)}</td>)}
              </tr>
            ) : (
              <tr key={first + i} class="error" data-testid="histogram-error">
                {runs && <td class="name" title={entry.error.run}>{board.nameOf(entry.error.run)}</td>}
                <td class="number">{entry.error.step.toLocaleString(locale)}</td>
                <td colSpan={5 + odd.length - Number(runs)} title={entry.error.error}>{reasonOf(entry.error)}</td>
              </tr>
            ),
          )}
          {last < entries.length && <tr style={{ height: (entries.length - last) * ROW }} />}
        </tbody>
      </table>
    </div>
  );
}

/** Without the place, which the row says. */
function reasonOf({ error }: HistogramError): string {
  return error.replace(/^.*?\(record \d+\): /s, '');
}

function entriesOf(found: Histograms): Entry[] {
  const entries: (Entry & { readonly index: number })[] = Array.from(found.steps, (_, row) => ({ row, index: found.runs.length > 0 ? row : (found.indices[row] as number) }));
  for (const error of found.errors) entries.push({ error, index: found.runs.length > 0 ? Infinity : error.index });
  return entries.sort((a, b) => a.index - b.index);
}
