import { useComputed, useSignal } from '@preact/signals';
import { Button, byName, copyTable, message, valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ScalarBoard } from './board';
import { compareRows, summary, type SortKey, type SummaryRow } from './summary';

const PAGE = 300;
const COLUMNS: readonly SortKey[] = ['run', 'tag', 'last', 'step', 'min', 'minStep', 'max', 'maxStep', 'points'];

/** Run by tag: last, smallest and largest value of each, exact. */
export function Table({ board }: { readonly board: ScalarBoard }): JSX.Element {
  const say = board.t.bind(board);
  const found = useSignal<readonly SummaryRow[]>([]);
  const error = useSignal<string | null>(null);
  const order = useSignal<{ readonly key: SortKey; readonly down: boolean }>({ key: 'tag', down: false });
  const limit = useSignal(PAGE);
  const wanted = useComputed(() => JSON.stringify(board.shownTags.value.map((tag) => [tag, board.runsByTag.value.get(tag)?.map((run) => run.name)])));
  const generation = useGeneration(board);
  useEffect(() => {
    const stop = new AbortController();
    load(board, stop.signal).then(
      (rows) => {
        found.value = rows;
        error.value = null;
      },
      (reason: unknown) => {
        if (!stop.signal.aborted) error.value = message(reason);
      },
    );
    return () => stop.abort();
  }, [wanted.value, board.attempts.value, generation]);
  const rows = [...found.value].sort(compareRows(order.value.key, order.value.down));
  const colors = new Map(board.runs.value.map((run) => [run.name, run.color]));
  const count = (n: number): string => n.toLocaleString(board.locale.value);
  const sort = (key: SortKey): void => void (order.value = { key, down: order.value.key === key ? !order.value.down : key !== 'run' && key !== 'tag' });
  const copy = (): void => void copyTable(board, [COLUMNS.map((c) => say(`table.${c}`)), ...rows.map((row) => COLUMNS.map((c) => row[c]))]);
  return (
    <div class="table" data-testid="compare-table">
      <div class="row between">
        <span class="count">{say('table.rows', { count: rows.length })}</span>
        <Button action="copy-table" icon="copy" text={say('table.copy')} label={say('table.copy')} onPress={copy} />
      </div>
      {error.value && <p class="problem" role="alert">{error.value}</p>}
      <table>
        <thead>
          <tr>
            {COLUMNS.map((key) => (
              <th key={key} aria-sort={order.value.key !== key ? 'none' : order.value.down ? 'descending' : 'ascending'} class={key === 'run' || key === 'tag' ? '' : 'number'}>
                <button type="button" data-sort={key} onClick={() => sort(key)}>
                  {say(`table.${key}`)}{order.value.key === key ? (order.value.down ? ' ↓' : ' ↑') : ''}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, limit.value).map((row) => (
            <tr key={`${row.run}\n${row.tag}`}>
              <td class="name" title={row.run}><i class="swatch" style={{ background: colors.get(row.run) ?? 'gray' }} />{board.nameOf(row.run)}</td>
              <td class="name" title={board.titleOf(row.tag)}>{board.titleOf(row.tag)}</td>
              <td class="number">{valueText(row.last)}</td>
              <td class="number">{count(row.step)}</td>
              <td class="number">{valueText(row.min)}</td>
              <td class="number">{Number.isNaN(row.minStep) ? '' : count(row.minStep)}</td>
              <td class="number">{valueText(row.max)}</td>
              <td class="number">{Number.isNaN(row.maxStep) ? '' : count(row.maxStep)}</td>
              <td class="number">{count(row.points)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > limit.value && (
        <button type="button" data-action="more" onClick={() => (limit.value += PAGE)}>{say('more', { count: rows.length - limit.value })}</button>
      )}
    </div>
  );
}

/** Grows with the data, at most every two seconds. */
function useGeneration(board: ScalarBoard): number {
  const seen = useSignal(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = board.ctx.changes.subscribe(({ generation }) => {
      timer ??= setTimeout(() => {
        timer = undefined;
        seen.value = generation;
      }, 2000);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return seen.value;
}

/** One column of the plot is enough: its smallest, largest and last value are exact. */
async function load(board: ScalarBoard, signal: AbortSignal): Promise<SummaryRow[]> {
  const { source } = board.feeds;
  const found = await Promise.all(
    [...board.shownTags.value].sort(byName).map((tag) => {
      const query = { tag, x: 'step', logX: false, window: null, width: 1, smoothing: 0, attempts: board.attempts.value } as const;
      return source.current(query, board.runsByTag.value.get(tag)?.map((run) => run.name) ?? [], { signal, urgency: () => 1e6 });
    }),
  );
  return found.flat().map(summary);
}
