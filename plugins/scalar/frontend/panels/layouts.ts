/** Dashboards that the logs bring: layouts of TensorBoard's custom scalars. */
import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from '../board';
import type { LogPanel, LogSection, Margin } from './panels';

interface Chart {
  readonly title: string;
  readonly patterns: readonly string[];
  readonly margins: readonly Margin[];
  readonly runs: readonly string[];
}

export interface Category {
  readonly title: string;
  readonly closed: boolean;
  readonly charts: readonly Chart[];
}

const IDLE = 1500; // ms after the last run came

/**
 * Asks for the layouts when the tab has drawn its first cards, and again when there are other runs; a hidden page does
 * later.
 */
export function useLayouts(board: ScalarParts): void {
  const runs = useComputed(() => board.page.allRuns.value.map(({ name }) => name).join('\n'));
  const isVisible = board.page.visible.value;
  useEffect(() => {
    if (!isVisible || runs.value === '') return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      document.removeEventListener('visibilitychange', wait);
      const { categories } = await board.page.ctx.data
        .json<{ readonly categories: readonly Category[] }>('layouts', {}, { signal: stop.signal })
        .catch(() => ({ categories: [] })); // the cards are there without them
      if (!stop.signal.aborted) board.panels.ofLogs.value = categories.map(sectionOf);
    };
    const wait = (): void => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') timer = setTimeout(() => void ask(), IDLE);
    };
    document.addEventListener('visibilitychange', wait, { signal: stop.signal });
    wait();
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [runs.value, isVisible]);
}

/** A category of a layout as panels. */
export function sectionOf({ title, closed, charts }: Category, place: number): LogSection {
  return {
    title,
    closed,
    panels: charts.map(({ title: name, patterns, margins, runs }, at): LogPanel => ({
      id: `log.${place}.${at}`,
      kind: 'lines',
      runs,
      patterns,
      ...(name ? { title: name } : {}),
      ...(patterns.length > 0 ? { regex: patterns.map(translated).join('|') } : {}),
      ...(margins.length > 0 ? { margins } : {}),
    })),
  };
}

/**
 * An expression of Python, which matches from the beginning of a tag, as one of JavaScript; what else Python has is an
 * error of the panel. Flags at the beginning, as in `(?i)loss`, hold for the whole; those about bytes mean nothing
 * here.
 */
export function translated(pattern: string): string {
  const [head = '', flags = ''] = /^\(\?([aimsuL]+)\)/.exec(pattern) ?? [];
  const same = pattern
    .slice(head.length)
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\(\?#[^)]*\)/g, '')
    .replaceAll(String.raw`\A`, '^')
    .replaceAll(String.raw`\Z`, '$');
  return `^(?${[...new Set(flags)].filter((flag) => 'ims'.includes(flag)).join('')}:${same})`;
}
