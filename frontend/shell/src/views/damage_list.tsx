/** The list of damaged places in logs. */
import type { Messages, Reason } from '@insight-host/api';
import { bytesText, Dialog, message } from '@insight-host/kit';
import type { Column, Sort, Value } from '@insight-host/kit/table';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { getJson, href } from '../data/http';
import { lateTexts, reasonText } from '../i18n/texts';
import { usePage, type Page } from '../state/page';
import { UnreadFiles } from './unread_files';
import { damage as en } from '../locales/en.json';
import { damage as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

interface DamageRow {
  readonly run: string;
  readonly file: string;
  readonly offset: number;
  readonly reason: string;
  readonly skipped: number;
}

/** As the host lists it: its reason may have a code. */
type Listed = DamageRow & Omit<Reason, 'error'>;

/** Imported when a list is opened: the page starts without tables. */
type Tables = typeof import('@insight-host/kit/table');

const LINE = 28; // pixels
const MOST_LINES = 16;

function nameOf(page: Page, run: string): string {
  return page.runs.all.value.find(({ name }) => name === run)?.displayName ?? run;
}

export function DamageList({ run }: { run: string | null }) {
  const page = usePage();
  const t = page.t.value;
  const rows = useSignal<readonly Listed[] | null>(null);
  const messages = useSignal<Messages>({});
  const tables = useSignal<Tables | null>(null);
  const error = useSignal<string | null>(null);
  useEffect(() => {
    const request = new AbortController();
    Promise.all([
      getJson<{ damage: readonly Listed[]; messages: Messages }>('data/damage', { run }, request.signal),
      import('@insight-host/kit/table'),
    ]).then(
      ([answer, loaded]) => {
        tables.value = loaded;
        messages.value = answer.messages;
        rows.value = answer.damage;
      },
      (cause: unknown) => {
        if (!request.signal.aborted) error.value = message(cause);
      },
    );
    return () => request.abort();
  }, [run]);
  const locale = page.preferences.locale.value;
  const found = useMemo(
    () =>
      (rows.value ?? []).map(({ code, details, ...row }) => {
        const told = { error: row.reason, ...(code && { code }), ...(details && { details }) };
        return { ...row, reason: reasonText(told, locale, messages.value) };
      }),
    [rows.value, locale],
  );
  return (
    <Dialog
      name="damage"
      title={run === null ? words(page, 'damage.title') : words(page, 'damage.title.run', { run: nameOf(page, run) })}
      close={t('close')}
      onClose={() => (page.dialog.value = null)}
    >
      {rows.value?.length !== 0 && <p class="ih-muted">{words(page, 'damage.explain')}</p>}
      {error.value && (
        <p class="ih-error-message" role="alert">
          {error.value}
        </p>
      )}
      {rows.value?.length === 0 && <p>{words(page, 'damage.none')}</p>}
      {tables.value && found.length > 0 && (
        <>
          <DamageTable tables={tables.value} rows={found} withRun={run === null} />
          <a class="ih-muted" href={href('data/damage', { run })} target="_blank" rel="noopener">
            {words(page, 'damage.json')}
          </a>
        </>
      )}
      {run === null && <UnreadFiles always />}
    </Dialog>
  );
}

interface DamageTableProps {
  readonly tables: Tables;
  readonly rows: readonly DamageRow[];
  readonly withRun: boolean;
}

function DamageTable({ tables: { Table, ordered, pressedHeight, rowsOf, turned }, rows, withRun }: DamageTableProps) {
  const page = usePage();
  const locale = page.preferences.locale.value;
  const sorts = useSignal<readonly Sort[]>([]);
  const column = (
    key: keyof DamageRow,
    width: number,
    text: (row: DamageRow) => string,
    { kind = 'text', grows = false }: Partial<Pick<Column<DamageRow>, 'kind' | 'grows'>> = {},
  ): Column<DamageRow> => ({
    key,
    title: words(page, `damage.${key}`),
    kind,
    width,
    grows,
    cell: (row) => ({ content: text(row), title: String(row[key]) }),
  });
  const columns = [
    ...(withRun ? [column('run', 150, (row) => nameOf(page, row.run))] : []),
    column('file', 260, (row) => row.file),
    column('offset', 90, (row) => row.offset.toLocaleString(locale), { kind: 'number' }),
    column('reason', 300, (row) => row.reason, { grows: true }),
    column('skipped', 90, (row) => (row.skipped ? bytesText(row.skipped, locale) : '–'), { kind: 'number' }),
  ];
  const inOrder = useMemo(
    () => rowsOf(ordered(rows, sorts.value, (row, key): Value => row[key as keyof DamageRow])),
    [rows, sorts.value],
  );
  return (
    <div
      class="kit ih-damage"
      style={{ height: `${(Math.min(MOST_LINES, rows.length) + 1) * pressedHeight(LINE) + 16}px` }}
    >
      <Table<DamageRow>
        name="damage-table"
        label={words(page, 'damage.title')}
        rows={inOrder}
        columns={columns}
        rowHeight={LINE}
        sort={{ by: sorts.value, turn: (key, more) => (sorts.value = turned(sorts.value, key, more, false)) }}
      />
    </div>
  );
}
