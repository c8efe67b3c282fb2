/** Runs that stand out on cards, and those that a card hovers. */
import { useSignalEffect } from '@preact/signals';
import type { Page } from '@insight-host/kit';
import type { Cursor, LineChart } from '@insight-host/kit/lines';
import { useEffect } from 'preact/hooks';
import type { Lines } from './lines';

const REACH = 24; // pixels from a line to the pointer

/** The runs of the line at the pointer; none if it is away from all lines. */
export function pointedRuns(cursor: Cursor | null, sources: Lines['sources']): readonly string[] {
  const nearest = cursor?.nearest[0];
  return (nearest && nearest.distance <= REACH && sources.get(nearest.id)?.runs) || [];
}

/** Shows the runs that are hovered anywhere, without rendering the card again. */
export function useHoveredRuns(page: Page, chart: { readonly current: LineChart | null }, about: unknown): void {
  useSignalEffect(() => chart.current?.hover(page.hovered.value));
  useEffect(() => chart.current?.hover(page.hovered.peek()), [about]); // a chart that was just made
}
