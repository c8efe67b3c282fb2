/** Cells of the table of runs. */
import type { Locale } from '@insight-host/api';
import { durationText, Icon, timeText } from '@insight-host/kit';
import type { CellLook } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Column, ColumnLook, Value } from './frame';
import { type RowGroup, summaryOf } from './ordering';
import { type SayOfRuns, sectionOf } from './sections';
import { shareOf, standingOf } from './standing';

/** The value of a run: of a metric with a bar among those of `rows`, and marked if it is the best. */
export function valueCell(column: Column, row: number, rows: Int32Array, say: SayOfRuns): CellLook {
  if (column.isMissing(row)) return { content: '–', class: 'missing' };
  const text = column.text(row);
  const value = column.isNumeric ? (column.numbers[row] as number) : NaN;
  const standing = Number.isFinite(value) && hasBars(column) ? standingOf(column, rows) : null;
  if (!standing) return { content: text, title: text };
  const isBest = value === standing.best;
  return {
    content: text,
    title: isBest ? say('rt.best', { count: rows.length, value: text }) : text,
    class: isBest ? 'measured best' : 'measured',
    style: { '--part': shareOf(standing, value) },
  };
}

const hasBars = (column: Column): boolean => sectionOf(column) === 'metric' && column.type !== 'bool';

/** The mean of a group in a column of numbers. */
export function meanCell(column: Column, group: RowGroup, say: SayOfRuns): CellLook {
  const summary = column.isNumeric ? summaryOf(column, group.rows) : null;
  if (!summary) return { content: null, class: 'number' };
  const { low, high, mean, count } = summary;
  return {
    content: `⌀ ${column.numberText(mean)}`,
    class: 'number',
    title: say('rt.group.range', { low: column.numberText(low), high: column.numberText(high), count }),
  };
}

export interface GroupLabelProps {
  readonly group: RowGroup;
  readonly say: SayOfRuns;
  /** Whether all runs of the group are selected, some, or none. */
  readonly state: 'all' | 'some' | 'none';
  readonly onFold: () => void;
  readonly onTick: () => void;
}

/** The heading of a group, with a box for all its runs. */
export function GroupLabel({ group, say, state, onFold, onTick }: GroupLabelProps): JSX.Element {
  const { title, open, level, rows } = group;
  return (
    <span class="run-label group-label" style={indented(level)}>
      <button
        type="button"
        class="fold"
        tabIndex={-1}
        aria-label={say(open ? 'rt.group.fold' : 'rt.group.open', { group: title })}
        onClick={(event) => {
          event.stopPropagation();
          onFold();
        }}
      >
        <Icon name={open ? 'open' : 'closed'} />
      </button>
      <Tick state={state} label={say('rt.group.all', { group: title })} onTick={onTick} />
      <span class="name">{title}</span>
      <span class="count ih-muted">{rows.length.toLocaleString()}</span>
    </span>
  );
}

/** Room before the name of a run or of a group in a group. */
export const indented = (level: number): { readonly paddingLeft: string } => ({ paddingLeft: `${(level - 1) * 16}px` });

interface TickProps {
  readonly state: 'all' | 'some' | 'none';
  readonly label: string;
  readonly action?: string;
  readonly onTick: () => void;
}

/** A box for several runs. */
export function Tick({ state, label, action, onTick }: TickProps): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  });
  return (
    <label class="hit" onClick={(event) => event.stopPropagation()}>
      <input
        ref={box}
        type="checkbox"
        class="ih-checkbox"
        tabIndex={-1}
        data-action={action}
        checked={state === 'all'}
        aria-label={label}
        title={label}
        onChange={onTick}
      />
    </label>
  );
}

const STATES = ['running', 'finished', 'failed', 'stopped'] as const;

/** The status of runs in words of the page; runs that go on come first. */
export function statusLook(say: (key: `rt.status.${(typeof STATES)[number]}`) => string): Required<ColumnLook> {
  const at = (value: Value): number => STATES.indexOf(value as (typeof STATES)[number]);
  return { text: (value) => say(`rt.status.${STATES[at(value)] ?? 'stopped'}`), order: at };
}

/** Seconds since the epoch as local time, or seconds as people say them. */
export function secondsLook(kind: 'time' | 'duration', locale: Locale): ColumnLook {
  const textOf = kind === 'time' ? timeText : durationText;
  return { text: (value) => (typeof value === 'number' ? textOf(value, locale) : String(value)) };
}
