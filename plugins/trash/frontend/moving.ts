import type { PluginContext } from '@insight-host/api';

/** The files that are moved for a run. */
interface Row {
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
}

export interface Moved extends Row {
  /** Seconds since the epoch. */
  readonly at: number;
}

/** Moves what `plan` says; rejects with the reason in the user's language. */
export async function move(ctx: PluginContext, plan: Plan): Promise<void> {
  const { run, version } = plan;
  await ctx.data.post('move', undefined, { query: { run, version } });
}
