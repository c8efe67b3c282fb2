import type { JSX } from 'preact';
import { type Page, Button, copyTable, csvOf, fileName } from '@insight-host/kit/lab';
import type { Value } from './sorting';

export interface TableFilesProps {
  readonly page: Page;
  /** Of the file. */
  readonly name: string;
  /** Head and rows, exact; asked when a button is pressed. */
  readonly table: () => readonly (readonly Value[])[];
}

/** Buttons that copy a table and save it as CSV. */
export function TableFiles({ page, name, table }: TableFilesProps): JSX.Element {
  const { t: say } = page;
  const save = (): void =>
    page.ctx.ui.download(fileName(name, 'csv', 'table'), new Blob([csvOf(table())], { type: 'text/csv' }));
  return (
    <span class="table-files">
      <Button
        action="copy-table"
        icon="copy"
        text={say('table.copy')}
        label={say('table.copy')}
        onPress={() => void copyTable(page, table())}
      />
      <Button action="save-table" icon="export" text={say('table.csv')} label={say('table.csv')} onPress={save} />
    </span>
  );
}
