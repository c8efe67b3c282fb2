import { useSignal, type Signal } from '@preact/signals';
import { marksAt, type Cursor, type Mark } from '@insight-host/kit/lines';
import { Button, copyTable, durationText, timeText, Tooltip as Box, valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from './board';
import type { CardQuery, Feed } from './feed';
import { Sample } from './legend';
import { StepTabs } from './step_tabs';
import type { Lines } from './lines';
import type { PlacedMarker } from './markers';
import { indexAt, type Band } from './series';

/** What the pointer reads; `pinned` stays until it is closed. */
export interface Reading {
  readonly cursor: Cursor;
  readonly clientX: number;
  readonly clientY: number;
  readonly pinned: boolean;
}

interface Row {
  readonly id: string;
  readonly label: string;
  readonly color: string;
  readonly dash: readonly number[];
  /** Null if only the smoothed one is known. */
  readonly value: number | null;
  readonly smoothed: number | null;
  readonly step: number | null;
  readonly wall: number | null;
  readonly relative: number | null;
  /** Of a group: edges of its band, and how many runs reach across this x. */
  readonly group: { readonly low: number; readonly high: number; readonly runs: number } | null;
}

interface Exact {
  readonly run: string;
  readonly tag: string;
  readonly step: number;
  readonly wall_time: number;
  readonly value: number | string;
  readonly smoothed: number | string | null;
}

const ROWS = 8;
const WAIT = 150; // ms of rest before exact values are asked for

function rowsOf(
  cursor: Cursor,
  lines: Lines,
  { x, smoothing }: Pick<CardQuery, 'x' | 'smoothing'>,
  exact: ReadonlyMap<string, Exact>,
): Row[] {
  return cursor.nearest.flatMap((point): Row[] => {
    const source = lines.sources.get(point.id);
    if (!source) return [];
    const { label, color, dash, main, raw, band } = source;
    if (!main)
      return [
        {
          id: point.id,
          label,
          color,
          dash,
          value: point.y,
          smoothed: null,
          step: x === 'step' ? point.x : null,
          wall: x === 'wall' ? point.x : null,
          relative: x === 'relative' ? point.x : null,
          group: band ? groupAt(band, point) : null,
        },
      ];
    const precise = exact.get(`${source.tag}\n${source.run}`);
    const index = indexAt(main, x, point);
    if (index < 0) return [];
    const step = precise?.step ?? (main.steps[index] as number);
    const wall = precise?.wall_time ?? (main.wallTimes[index] as number);
    const shown = precise ? Number(precise.smoothed ?? precise.value) : (main.values[index] as number);
    const value = precise
      ? Number(precise.value)
      : raw
        ? rawAt(raw.steps, raw.values, step)
        : smoothing > 0
          ? null
          : shown;
    return [
      {
        id: point.id,
        label,
        color,
        dash,
        value,
        smoothed: smoothing > 0 ? shown : null,
        step,
        wall,
        relative: wall - main.origin,
        group: null,
      },
    ];
  });
}

/** What a band is at a point that was read off a chart; null if newer data have moved it. */
function groupAt(band: Band, { index, x }: Cursor['nearest'][number]): Row['group'] {
  if (band.x[index] !== x) return null;
  return { low: band.low[index] ?? NaN, high: band.high[index] ?? NaN, runs: band.count[index] ?? 0 };
}

/** The raw value at a step; NaN when the raw line left that step out. */
function rawAt(steps: Float64Array, values: Float64Array | Float32Array, step: number): number {
  const index = steps.indexOf(step);
  return index < 0 ? NaN : (values[index] as number);
}

export interface TooltipProps {
  readonly board: ScalarParts;
  readonly feed: Feed;
  readonly lines: Lines;
  readonly marks: readonly (Mark | PlacedMarker)[];
  readonly reading: Signal<Reading | null>;
}

export function Tooltip({ board, feed, lines, marks, reading }: TooltipProps): JSX.Element | null {
  const exact = useSignal<ReadonlyMap<string, Exact>>(NONE);
  const now = reading.value;
  const unpin = (): void => {
    reading.value = null;
    board.page.ctx.cursor.pin(null);
  };
  useExact(board, feed, now?.cursor ?? null, exact);
  useEffect(() => {
    if (!now?.pinned) return;
    const close = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      unpin();
    };
    addEventListener('keydown', close, true);
    return () => removeEventListener('keydown', close, true);
  }, [now?.pinned]);
  if (!now || now.cursor.nearest.length === 0) return null;
  const query = feed.picture.value?.query ?? { x: 'step' as const, smoothing: 0, group: null };
  const rows = rowsOf(now.cursor, lines, query, exact.value);
  const shown = now.pinned ? rows : rows.slice(0, ROWS);
  const smoothed = rows.some((row) => row.smoothed !== null);
  const { value: locale } = board.page.locale;
  const { group } = query;
  const columns: readonly (readonly [string, (row: Row) => string])[] = [
    [group ? 'group' : 'run', (row) => row.label],
    ['smoothed', (row) => (row.smoothed === null ? '' : valueText(row.smoothed))],
    [group?.centre ?? 'value', (row) => (row.value === null ? '' : valueText(row.value))],
    ['low', (row) => (row.group ? valueText(row.group.low) : '')],
    ['high', (row) => (row.group ? valueText(row.group.high) : '')],
    ['runs', (row) => row.group?.runs.toLocaleString(locale) ?? ''],
    ['step', (row) => row.step?.toLocaleString(locale) ?? ''],
    ['relative', (row) => (row.relative === null ? '' : durationText(row.relative, locale))],
    ['time', (row) => (row.wall === null ? '' : timeText(row.wall, locale))],
  ];
  const table = columns
    .map(([head, text]) => ({ head, cells: rows.map(text) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const { t: say } = board.page;
  return (
    <Box
      x={now.clientX}
      y={now.clientY}
      class={now.pinned ? 'pinned' : ''}
      role={now.pinned ? 'dialog' : 'tooltip'}
      label={say('tooltip.label')}
    >
      {now.pinned && (
        <div class="tooltip-head">
          <span>{say('tooltip.rows', { count: rows.length })}</span>
          <Button
            action="copy"
            icon="copy"
            label={say('tooltip.copy')}
            onPress={() => void copy(board, rows, smoothed)}
          />
          <Button action="unpin" icon="close" label={say('tooltip.close')} onPress={unpin} />
        </div>
      )}
      <table>
        <thead>
          <tr>
            <th />
            {table.map(({ head }) => (
              <th key={head}>{say(`tooltip.${head}`)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, i) => (
            <tr key={row.id} class={i === 0 ? 'closest' : ''}>
              <td>
                <Sample color={row.color} dash={row.dash} />
              </td>
              {table.map(({ head, cells }, n) => (
                <td key={head} class={n === 0 ? 'name' : 'number'} title={n === 0 ? row.label : ''}>
                  {cells[i]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {now.pinned && <Marks marks={marksAt(marks, now.cursor.reach)} />}
      {now.pinned && <StepTabs board={board} step={rows[0]?.step ?? null} />}
      {rows.length > shown.length && (
        <div class="more">{say('tooltip.more', { count: rows.length - shown.length })}</div>
      )}
    </Box>
  );
}

/** The marks at a pinned reading; one of a plugin may lead somewhere. */
function Marks({ marks }: { readonly marks: readonly (Mark | PlacedMarker)[] }): JSX.Element | null {
  if (marks.length === 0) return null;
  return (
    <ul class="marks">
      {marks.map((mark, i) => {
        const marker = 'marker' in mark ? mark.marker : null;
        return (
          <li key={i} style={{ borderColor: mark.color }}>
            {marker?.open ? (
              <Button action="open-mark" text={mark.text} label={mark.text} onPress={() => marker.open?.()} />
            ) : (
              mark.text
            )}
          </li>
        );
      })}
    </ul>
  );
}

const NONE: ReadonlyMap<string, Exact> = new Map();

/** Replaces points that stand for several by the exact ones, once the pointer rests. */
function useExact(
  board: ScalarParts,
  feed: Feed,
  cursor: Cursor | null,
  exact: Signal<ReadonlyMap<string, Exact>>,
): void {
  const x = cursor?.x;
  useEffect(() => {
    exact.value = NONE;
    const picture = feed.picture.value;
    if (
      x === undefined ||
      !picture ||
      picture.query.group ||
      !picture.layers.some((l) => l.main.some((s) => s.decimated))
    )
      return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void (async () => {
        const found = new Map<string, Exact>();
        for (const layer of picture.layers) {
          const runs = layer.main.slice(0, 100).map((series) => series.run);
          const query = {
            tag: layer.tag,
            run: runs,
            at: x,
            x: picture.query.x,
            smoothing: picture.query.smoothing || null,
            smoother: picture.query.smoother,
            attempts: picture.query.attempts,
          };
          const answer = await board.page.ctx.data
            .json<{ points: readonly Exact[] }>('nearest', query, { signal: stop.signal })
            .catch(() => ({ points: [] }));
          for (const point of answer.points) found.set(`${point.tag}\n${point.run}`, point);
        }
        if (!stop.signal.aborted) exact.value = found;
      })();
    }, WAIT);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [x, feed]);
}

async function copy(board: ScalarParts, rows: readonly Row[], smoothed: boolean): Promise<void> {
  const head = ['run', 'value', ...(smoothed ? ['smoothed'] : []), 'step', 'relative', 'wall_time'];
  const lines = rows.map((r) => [
    r.label,
    r.value ?? '',
    ...(smoothed ? [r.smoothed ?? ''] : []),
    r.step ?? '',
    r.relative ?? '',
    r.wall ?? '',
  ]);
  await copyTable(board.page, [head, ...lines]);
}
