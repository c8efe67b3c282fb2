import { useSignal } from '@preact/signals';
import { createElement, type JSX } from 'preact';
import type { MenuItem } from './menu';
import type { TabState } from './tab_state';
import type { ChartData, TableDialogProps } from './table/table_dialog';
import { message } from './texts';

/** "View as table" for the menu of a chart, and the dialog that it opens. The table is loaded when it is first opened. */
export function useTableView(board: TabState, name: string, title: string, data: () => ChartData | null): { readonly item: MenuItem; readonly dialog: JSX.Element | null } {
  const shown = useSignal<{ readonly Dialog: (props: TableDialogProps) => JSX.Element; readonly data: ChartData } | null>(null);
  const open = async (): Promise<void> => {
    const drawn = data();
    if (!drawn) return;
    try {
      const { TableDialog } = await import('@insight-host/kit/table');
      shown.value = { Dialog: TableDialog, data: drawn };
    } catch (error) {
      board.ctx.notify('error', message(error));
    }
  };
  const { value: now } = shown;
  return {
    item: { action: 'view-table', text: board.t('table.view'), onPress: () => void open() },
    dialog: now && createElement(now.Dialog, { board, name, title, data: now.data, onClose: () => (shown.value = null) }),
  };
}
