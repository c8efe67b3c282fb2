/** "Figure for a paper" in the menu of a card, and the dialog that it opens: loaded when it is first opened. */
import { useSignal } from '@preact/signals';
import { message, type MenuItem, type Page } from '@insight-host/kit';
import type { LineChartProps } from '@insight-host/kit/lines';
import type { JSX } from 'preact';

/** `exact`: what is drawn, with exact values; null while nothing is. */
export function useFigure(
  page: Page,
  exact: () => Promise<LineChartProps | null>,
): { readonly item: MenuItem; readonly dialog: JSX.Element | null } {
  const shown = useSignal<(typeof import('./figure/figure_dialog') & { readonly chart: LineChartProps }) | null>(null);
  const open = async (): Promise<void> => {
    try {
      const [chart, loaded] = await Promise.all([exact(), import('./figure/figure_dialog')]);
      if (chart) shown.value = { ...loaded, chart };
    } catch (error) {
      page.ctx.notify('error', message(error));
    }
  };
  const { value: now } = shown;
  return {
    item: { action: 'figure', text: page.t('figure.open'), onPress: () => void open() },
    dialog: now && <now.FigureDialog page={page} chart={now.chart} onClose={() => (shown.value = null)} />,
  };
}
