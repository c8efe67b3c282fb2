/** Names of metrics of runs: of a tag its last, smallest or largest value, or a cell of the run table. */
import type { Page } from '@insight-host/kit';

export const SUMMARIES = ['last', 'min', 'max'] as const;
export type Summary = (typeof SUMMARIES)[number];

/** A metric as panels name it: `last/loss`, `min/loss`, `max/loss`, `column/lineage/lr`. */
export type Metric =
  | { readonly of: Summary; readonly tag: string }
  | { readonly of: 'column'; readonly column: string };

/** null for a text that names no metric. */
export function metricOf(text: string | undefined): Metric | null {
  const [, of = '', name = ''] = /^(\w+)\/(.+)$/su.exec(text ?? '') ?? [];
  if (of === 'column') return { of, column: name };
  const found = SUMMARIES.find((one) => one === of);
  return found && name ? { of: found, tag: name } : null;
}

export function textOf(metric: Metric): string {
  return `${metric.of}/${metric.of === 'column' ? metric.column : metric.tag}`;
}

/** What people read for a metric as panels name it: of a column its name, of a tag which of its values. */
export function metricTitle(page: Page, text: string | undefined, otherwise = ''): string {
  const metric = metricOf(text);
  if (!metric) return otherwise;
  if (metric.of === 'column') return metric.column.slice(metric.column.indexOf('/') + 1);
  return page.t(`panel.of.${metric.of}`, { tag: page.titleOf(metric.tag) });
}
