import { Tooltip as Box, Button, copyTable, durationText, Select, timeText, valueText } from '@insight-host/kit';
import { marksAt, type Mark } from '@insight-host/kit/lines';
import { useSignal, type Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ScalarParts } from '../board';
import type { Feed } from '../feed/feed';
import { Sample } from './legend';
import { withErrorText } from './bounds';
import type { Lines } from './lines';
import type { PlacedMarker } from './markers';
import { ordered, ORDERS, roughText, rowsOf, type Exact, type Reading, type Row } from './reading';

const ROWS = 8;
const WAIT = 150; // ms of rest before exact values are asked for

interface TooltipProps {
  readonly board: ScalarParts;
  readonly feed: Feed;
  readonly lines: Lines;
  readonly marks: readonly (Mark | PlacedMarker)[];
  readonly reading: Signal<Reading | null>;
}

export function Tooltip({ board, feed, lines, marks, reading }: TooltipProps): JSX.Element | null {
  const exact = useSignal<ReadonlyMap<string, Exact>>(NONE);
  const now = reading.value?.dismissed ? null : reading.value;
  const unpin = (): void => {
    reading.value = null;
    board.page.ctx.cursor.pin(null);
  };
  useExact(board, feed, now, lines, exact);
  // before it is painted: whoever sees the box can close it
  useLayoutEffect(() => {
    if (!now) return;
    const close = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      if (!now.pinned) return void (reading.value = { ...now, dismissed: true }); // the key has its other meanings
      event.stopPropagation();
      unpin();
    };
    addEventListener('keydown', close, true);
    return () => removeEventListener('keydown', close, true);
  }, [now === null, now?.pinned]);
  if (!now || now.cursor.nearest.length === 0) return null;
  const query = feed.picture.value?.query ?? { x: 'step' as const, smoothing: 0, group: null };
  // Texts of all lines cost more than drawing them: only those that are shown are made.
  const { nearest } = now.cursor;
  const points = ordered(now.pinned ? nearest : nearest.slice(0, ROWS), board.tooltipOrder.value, lines);
  const rows = rowsOf(points, lines, query, exact.value);
  const closest = nearest[0]?.id;
  const { value: locale } = board.page.locale;
  const { group } = query;
  const text = ({ rough }: Row, value: number | null): string =>
    value === null ? '' : rough ? roughText(value, rough) : valueText(value);
  const time = (at: number | null, textOf: typeof timeText): string =>
    at === null ? '' : Number.isNaN(at) ? '…' : textOf(at, locale);
  const columns: readonly (readonly [string, (row: Row) => string])[] = [
    [group ? 'group' : 'run', (row) => row.label],
    ['smoothed', (row) => text(row, row.smoothed)],
    [
      group?.centre ?? 'value',
      (row) =>
        row.ends && row.value !== null
          ? withErrorText(text(row, row.value), row.value, row.ends)
          : text(row, row.value),
    ],
    ['low', (row) => (row.group ? valueText(row.group.low) : '')],
    ['high', (row) => (row.group ? valueText(row.group.high) : '')],
    ['runs', (row) => row.group?.runs.toLocaleString(locale) ?? ''],
    ['metric', (row) => (row.metric === null ? '' : valueText(row.metric))],
    ['step', (row) => row.step?.toLocaleString(locale) ?? ''],
    ['relative', (row) => time(row.relative, (at) => durationText(at, locale, 4))],
    ['time', (row) => time(row.wall, timeText)],
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
          {rows.length > 1 && (
            <Select
              name="tooltip-order"
              label={say('order.label')}
              value={board.tooltipOrder.value}
              options={ORDERS.map((value) => ({ value, text: say(`order.${value}`) }))}
              onPick={(value) => board.tooltipOrder.set(value)}
            />
          )}
          <Button
            action="copy"
            icon="copy"
            label={say('tooltip.copy')}
            disabled={rows.some(({ rough }) => rough)}
            onPress={() => void copy(board, rows)}
          />
          <Button action="unpin" icon="close" label={say('tooltip.close')} onPress={unpin} />
        </div>
      )}
      {nearest.length === 1 ? (
        <OneRow board={board} row={rows[0]} table={table} />
      ) : (
        <Rows board={board} rows={rows} table={table} closest={closest} />
      )}
      {now.pinned && <Marks marks={marksAt(marks, now.cursor.reach)} />}
      {now.pinned && <StepTabs board={board} tag={feed.tag} row={rows.find((row) => row.id === closest)} />}
      {nearest.length > rows.length && (
        <div class="more">{say('tooltip.more', { count: nearest.length - rows.length })}</div>
      )}
    </Box>
  );
}

type Table = readonly { readonly head: string; readonly cells: readonly string[] }[];

function Rows({
  board,
  rows,
  table,
  closest,
}: {
  readonly board: ScalarParts;
  readonly rows: readonly Row[];
  readonly table: Table;
  readonly closest: string | undefined;
}): JSX.Element {
  const { t: say } = board.page;
  return (
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
        {rows.map((row, i) => (
          <tr key={row.id} class={row.id === closest ? 'closest' : ''} data-hover-run={row.run}>
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
  );
}

/** A chart of one line says it in few, narrow columns. */
function OneRow({
  board,
  row,
  table,
}: {
  readonly board: ScalarParts;
  readonly row: Row | undefined;
  readonly table: Table;
}): JSX.Element {
  return (
    <table class="one">
      <tbody>
        {table.map(({ head, cells }, i) => (
          <tr key={head}>
            <th>{i === 0 && row ? <Sample color={row.color} dash={row.dash} /> : board.page.t(`tooltip.${head}`)}</th>
            <td class={i === 0 ? 'name' : 'number'}>{cells[0]}</td>
          </tr>
        ))}
      </tbody>
    </table>
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

/** Replaces what is known for drawing only by exact numbers, once the pointer rests. */
function useExact(
  board: ScalarParts,
  feed: Feed,
  reading: Reading | null,
  lines: Lines,
  exact: Signal<ReadonlyMap<string, Exact>>,
): void {
  const x = reading?.cursor.x;
  const read = reading?.cursor.nearest.slice(0, reading.pinned ? Infinity : ROWS) ?? [];
  const sources = read.flatMap(({ id }) => lines.sources.get(id) ?? []).filter(({ main }) => main);
  const shown = feed.picture.value?.query;
  const kind = JSON.stringify([shown?.x, shown?.smoothing, shown?.smoother, shown?.attempts]);
  useEffect(() => void (exact.value = NONE), [x, feed, kind]);
  useEffect(() => {
    const query = feed.picture.value?.query;
    if (x === undefined || !query) return;
    const runs = new Map<string, string[]>();
    for (const { tag, run } of sources)
      if (!exact.value.has(`${tag}\n${run}`)) runs.set(tag, [...(runs.get(tag) ?? []), run]);
    const stop = new AbortController();
    const ask = async (tag: string, run: readonly string[]): Promise<void> => {
      const { smoother, smoothing } = query;
      const answer = await board.page.ctx.data
        .json<{ points: readonly Exact[] }>(
          'nearest',
          { tag, run, at: x, x: query.x, smoothing: smoothing || null, smoother, attempts: query.attempts },
          { signal: stop.signal },
        )
        .catch(() => ({ points: [] }));
      if (stop.signal.aborted) return;
      exact.value = new Map([
        ...exact.value,
        ...answer.points.map((point) => [`${point.tag}\n${point.run}`, point] as const),
      ]);
    };
    const timer = setTimeout(() => runs.forEach((run, tag) => void ask(tag, run)), WAIT);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [
    x,
    feed,
    kind,
    sources
      .map(({ tag, run }) => `${tag}\n${run}`)
      .sort()
      .join('\n'),
  ]);
}

async function copy(board: ScalarParts, rows: readonly Row[]): Promise<void> {
  const columns: readonly (readonly [string, (row: Row) => string | number | bigint | null | undefined])[] = [
    [rows.some(({ group }) => group) ? 'group' : 'run', (row) => row.label],
    ['value', (row) => row.value],
    ['smoothed', (row) => row.smoothed],
    ['low', (row) => row.group?.low ?? row.ends?.[0]],
    ['high', (row) => row.group?.high ?? row.ends?.[1]],
    ['n', (row) => row.group?.runs],
    ['x', (row) => row.metric],
    ['step', (row) => row.step],
    ['relative', (row) => row.relative],
    ['wall_time', (row) => row.wall],
  ];
  const known = columns.filter(([, of]) => rows.some((row) => of(row) != null));
  await copyTable(board.page, [
    known.map(([head]) => head),
    ...rows.map((row) => known.map(([, of]) => of(row) ?? '')),
  ]);
}

interface StepTabsProps {
  readonly board: ScalarParts;
  /** Of the card. */
  readonly tag: string;
  /** The point that is nearest to where the reading was pinned. */
  readonly row: Row | undefined;
}

/** What can be done at a step: a note, and the tabs that can show it, whatever plugins they are of. */
function StepTabs({ board, tag, row }: StepTabsProps): JSX.Element | null {
  const step = row?.step ?? null;
  const place = useRef<HTMLDivElement>(null);
  // a reading that was pinned by Enter is used by keys, and gives the focus back to its chart
  useEffect(() => {
    const chart = document.activeElement;
    if (!(chart instanceof HTMLElement) || !chart.matches('[role=img]:focus-visible')) return undefined;
    const { current } = place;
    current?.querySelector('button')?.focus();
    return () => {
      if (!document.activeElement || document.activeElement === document.body) chart.focus();
    };
  }, []);
  if (!row || step === null) return null;
  // true while it is not known yet
  const has = (plugin: string, run: string): boolean => board.page.ctx.tagsOf(plugin).value?.tagsOf(run).length !== 0;
  const tabs = board.stepTabs.value.filter(({ plugin }) => row.run === undefined || has(plugin, row.run));
  const { t: say, locale } = board.page;
  const at = step.toLocaleString(locale.value);
  return (
    <div class="step-tabs" ref={place} role="group" aria-label={say('at.step', { step: at })}>
      <span>{say('at.step', { step: at })}</span>
      {tabs.map(({ plugin, title }) => (
        <Button
          key={plugin}
          action={`open-${plugin}`}
          text={title}
          label={say('at.step.open', { tab: title, step: at })}
          onPress={() => void board.page.ctx.openStep(plugin, Number(step), row.run)}
        />
      ))}
      <Button
        action="note-here"
        text={say('notes.here')}
        label={say('notes.here')}
        onPress={() => (board.dialog.value = { kind: 'notes', tag })}
      />
    </div>
  );
}
