import type { PluginContext } from '@insight-host/api';

const DIGITS = 6; // of a value in a sentence; charts and tables have all

/** An alert, as the route `found` has it. */
export interface Alert {
  readonly id: string;
  readonly rule: string;
  readonly kind: 'nan' | 'above' | 'below' | 'stalled' | 'ended' | 'finding';
  readonly run: string;
  readonly tag: string;
  readonly step: number | null;
  /** A text if it is not finite; minutes of a run that makes no progress. */
  readonly value: number | string | null;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly status: string;
  /** Why its message did not arrive, by target. */
  readonly unsent: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly total: number;
  readonly alerts: readonly Alert[];
  readonly rules: readonly string[];
  /** Why rules cannot be checked now, or "". */
  readonly failure: string;
}

const EVERY = 10_000; // ms between two requests
const SEEN = 'seen'; // how many alerts the user has seen in the list

/** Asks for alerts every 10 s, and when the data change. */
export function follow(ctx: PluginContext, ask: () => void): () => void {
  const timer = setInterval(ask, EVERY);
  const stop = ctx.generation.subscribe(ask);
  return () => {
    clearInterval(timer);
    stop();
  };
}

export function seen(ctx: PluginContext): number {
  return ctx.memory.get(SEEN, 0);
}

export function markSeen(ctx: PluginContext, total: number): void {
  ctx.memory.set(SEEN, total);
  ctx.badge('');
}

export function textOf(ctx: PluginContext, { kind, tag, run, step, value, status }: Alert): string {
  const shown = typeof value === 'number' ? String(Number(value.toPrecision(DIGITS))) : (value ?? '');
  const name = ctx.runs.all.value.find((one) => one.name === run)?.displayName ?? run;
  const ended = kind === 'ended' ? ctx.t(`status.${status}`) : status;
  return ctx.t(`kind.${kind}`, { tag, run: name, step: step ?? 0, value: shown, status: ended });
}

/** The card of the tag with this run alone and the cursor at the step; of a rule about runs, its run. */
export function open(ctx: PluginContext, { run, tag, step }: Alert): void {
  ctx.runs.select([run]);
  if (step !== null) ctx.cursor.pin({ step });
  ctx.open('scalar', tag === '' ? {} : { tags: `^${tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$` });
}
