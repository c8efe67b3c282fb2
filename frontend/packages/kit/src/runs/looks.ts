/** How a run's own columns read, wherever a table of runs has them. */
import { durationText, timeText } from '@insight-host/kit';
import type { Locale } from '@insight-host/api';
import type { ColumnLook, Value } from './frame';

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
