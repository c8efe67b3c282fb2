import type { PluginContext, Reason } from '@insight-host/api';

/** What is moved for a run. */
export interface Row {
  readonly run: string;
  readonly directory: string;
  /** The directory with all that is in it, not single files. */
  readonly whole: boolean;
  /** Other runs in the directory. */
  readonly nested: number;
  readonly files: number;
  readonly bytes: number;
  /** Seconds since the epoch. */
  readonly written: number;
}

export interface Plan extends Row {
  readonly version: string;
  readonly token: string;
}

export interface Moved extends Row {
  /** Seconds since the epoch. */
  readonly at: number;
}

/** Moves what `plan` says; rejects with the reason in the user's language. */
export async function move(ctx: PluginContext, plan: Plan): Promise<void> {
  const { run, version, token } = plan;
  const response = await fetch(ctx.data.href('move', { run, version }), {
    method: 'POST',
    headers: { 'X-Insight-Token': token },
  });
  if (response.ok) return;
  const reason = (await response.json().catch(() => null)) as Reason | null;
  throw new Error(reason ? ctx.reason(reason) : `${response.status} ${response.statusText}`);
}

/** A number of bytes, as people read it. */
export function sizeText(bytes: number, locale: string): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${(bytes / 1000 ** power).toLocaleString(locale, { maximumFractionDigits: 1 })} ${units[power]}`;
}

export const timeText = (seconds: number, locale: string): string => new Date(seconds * 1000).toLocaleString(locale);
