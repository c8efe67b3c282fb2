import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ChartData, TableDialogProps } from '@insight-host/kit/table';
import { Button } from '../base/controls';
import type { MenuItem } from '../base/popover';
import type { Page } from '../base/page';
import { message } from '../base/texts';

type Dialog = (props: TableDialogProps) => JSX.Element;

export interface TableView {
  readonly item: MenuItem;
  readonly dialog: JSX.Element | null;
}

/**
 * "View as table" for the menu of a chart, and the dialog that it opens.
 *
 * `load` is `() => import('@insight-host/kit/table')`: the table is loaded when it is first opened.
 */
export function useTableView(
  page: Page,
  name: string,
  title: string,
  data: () => ChartData | null | Promise<ChartData | null>,
  load: () => Promise<{ readonly TableDialog: Dialog }>,
): TableView {
  const shown = useSignal<{ readonly Dialog: Dialog; readonly data: ChartData } | null>(null);
  const open = async (): Promise<void> => {
    try {
      const drawn = await data();
      if (!drawn) return;
      const { TableDialog } = await load();
      shown.value = { Dialog: TableDialog, data: drawn };
    } catch (error) {
      page.ctx.notify('error', message(error));
    }
  };
  const { value: now } = shown;
  return {
    item: { action: 'view-table', text: page.t('table.view'), onPress: () => void open() },
    dialog: now && (
      <now.Dialog page={page} name={name} title={title} data={now.data} onClose={() => (shown.value = null)} />
    ),
  };
}

export interface TableButtonProps {
  readonly page: Page;
  /** Of the file. */
  readonly name: string;
  /** Of the chart. */
  readonly title: string;
  readonly data: () => ChartData | null;
  readonly load: Parameters<typeof useTableView>[4];
}

/** "View as table" for a chart without a menu. */
export function TableButton({ page, name, title, data, load }: TableButtonProps): JSX.Element {
  const { item, dialog } = useTableView(page, name, title, data, load);
  return (
    <>
      <Button action={item.action} icon="table" label={`${item.text}: ${title}`} onPress={() => item.onPress?.()} />
      {dialog}
    </>
  );
}
