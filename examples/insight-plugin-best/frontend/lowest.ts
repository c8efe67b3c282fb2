import type { PluginContext } from '@insight-host/api';

/** The lowest value of a series, and its step. */
export interface Lowest {
  readonly run: string;
  readonly tag: string;
  readonly step: number;
  readonly value: number;
}

export function lowestOf(ctx: PluginContext, tags: readonly string[], signal: AbortSignal): Promise<readonly Lowest[]> {
  return ctx.data.json<readonly Lowest[]>('lowest', { tag: tags }, { signal });
}

/** Brings the Images tab to the front at a step. */
export function openImages(ctx: PluginContext, step: number): void {
  ctx.open('image', { step: String(step), link: '1' });
}
