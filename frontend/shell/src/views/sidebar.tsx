/** The left side: filter and selection over the list of runs. Its width is the user's. */
import { Icon } from '@insight-host/kit';
import { isPhone, SLOW } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { loadColumns, loadPanel, useLater } from '../loading';
import { recall } from '../state/browser';
import { NARROWEST, TABLE_FROM, type PanelMenu } from '../state/overlays';
import { usePage } from '../state/page';
import { IconButton, SelectRuns } from './parts';
import { RunList } from './run_list';

const LEFT_OVER = 320; // pixels for the view beside the table

const within = (width: number, low: number, high: number): number => Math.round(Math.max(low, Math.min(high, width)));

export function Sidebar() {
  const page = usePage();
  const columns = page.columns.value;
  const panel = page.panel.value;
  const isTable = page.tableOpen.value;
  const list = useSignal(recall('page', 'sidebar', within(innerWidth * 0.19, 264, 360)));
  const table = useSignal(recall('page', 'sidebar.table', Math.round(innerWidth * 0.55)));
  const resizer = useLater(() => import('../panel/resizer'), page.isShown.value && !isPhone.value);
  const isOpen = page.sidebarOpen.value && page.hasSidebar.value;
  const sheet = useLater(() => import('../panel/sheet'), isPhone.value && (isOpen || page.isShown.value));
  const widest = Math.max(TABLE_FROM, innerWidth - LEFT_OVER);
  const width = isTable ? within(table.value, TABLE_FROM, widest) : within(list.value, NARROWEST, TABLE_FROM - 1);
  if (!isOpen) return null;
  const parts = (
    <>
      {page.session.table.value && !page.hasRuns.value ? (
        <p class="ih-muted ih-run-none">{page.t.value('runs.empty')}</p>
      ) : (
        <>
          <RunFilter />
          <PanelTools />
          <SelectionBar />
          {panel && <panel.Below />}
          {page.tableOpen.value && columns ? (
            <columns.Table />
          ) : panel && page.aboutOne.value === null && page.runs.groups.value.length > 0 ? (
            <panel.GroupList />
          ) : (
            <RunList />
          )}
        </>
      )}
      <Below />
    </>
  );
  if (isPhone.value) return sheet && <sheet.Sheet>{parts}</sheet.Sheet>;
  return (
    <aside class="ih-sidebar" style={{ width: `${width}px` }} aria-label={page.t.value('runs')}>
      {parts}
      {resizer && <resizer.Resizer list={list} table={table} width={width} widest={widest} />}
    </aside>
  );
}

function RunFilter() {
  const page = usePage();
  const t = page.t.value;
  const { filter, filterText } = page.runs;
  const { error, isExpression } = filter.value;
  const columns = page.columns.value;
  const completion = columns?.completion;
  const active = completion?.active.value ?? -1;
  const early = useRef<HTMLInputElement | null>(null); // typed in before there was completion
  useEffect(() => {
    if (early.current && early.current === document.activeElement) completion?.follow(early.current);
  }, [completion]);
  return (
    <div class="ih-run-filter">
      <div class="ih-field">
        <Icon name="filter" />
        <input
          id="run-filter"
          class="ih-input ih-mono"
          type="text"
          role="combobox"
          aria-expanded={(completion?.items.value.length ?? 0) > 0}
          aria-controls="run-filter-names"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          {...(active >= 0 ? { 'aria-activedescendant': `run-filter-name-${active}` } : {})}
          spellcheck={false}
          autocomplete="off"
          placeholder={t('runs.filter')}
          title={t('runs.filter.hint')}
          aria-label={t('runs.filter')}
          aria-invalid={error !== null}
          aria-describedby={error ? 'run-filter-error' : undefined}
          value={filterText.value}
          onFocus={() => loadColumns(page)}
          onBlur={() => completion?.close()}
          onInput={(event) => {
            filterText.set(event.currentTarget.value);
            if (completion) completion.follow(event.currentTarget);
            else early.current = event.currentTarget;
          }}
          onKeyDown={(event) => {
            if (completion?.press(event, event.currentTarget, (text) => filterText.set(text))) return;
            if (event.key !== 'Escape') return;
            if (filterText.value) {
              event.preventDefault(); // it closes nothing
              filterText.set('');
            } else event.currentTarget.blur();
          }}
        />
        {filterText.value && (
          <IconButton icon="close" small label={t('runs.clear')} onClick={() => filterText.set('')} />
        )}
      </div>
      {columns && <columns.Completions />}
      {error && (!isExpression || !columns) && (
        <p id="run-filter-error" class="ih-field-note" role="status">
          {isExpression ? error : t('runs.filter.invalid', { reason: error === SLOW ? t('runs.filter.slow') : error })}
        </p>
      )}
    </div>
  );
}

function SelectionBar() {
  const page = usePage();
  const t = page.t.value;
  const { runs } = page;
  const rows = page.aboutOne.value ?? runs.rows.value;
  const isOne = page.aboutOne.value !== null; // the row says which
  const total = runs.all.value.length;
  const selected = rows.filter((run) => isOne || runs.selectedSet.value.has(run.name)).length;
  const filtered = !isOne && runs.filterText.value !== '';
  const isOpen = page.tableOpen.value;
  return (
    <div class="ih-selection-bar">
      {!isOne && <SelectRuns rows={rows} label={t('runs.all')} />}
      <span
        class="ih-selection-count ih-muted"
        data-testid="run-count"
        title={isOne || filtered ? undefined : t('runs.count', { selected, total })}
      >
        {t(filtered ? 'runs.count.filtered.short' : 'runs.count.short', { selected, shown: rows.length, total })}
      </span>
      {page.comparing.value && <page.comparing.value.Bar />}
      {isOpen && page.columns.value && <page.columns.value.Tools />}
      <IconButton
        icon="table"
        small
        label={t('runs.table')}
        aria-pressed={isOpen}
        title={`${t('runs.table')} (|)`}
        data-action="run-table"
        onClick={() => page.tableOpen.set(!isOpen)}
      />
    </div>
  );
}

/** What few visits have below the runs: its code is loaded then. */
function Below() {
  const page = usePage();
  const { gone, archivedCount } = page.runs;
  const hasAny = page.items.value.length > 1 || gone.value.length > 0 || archivedCount.value > 0;
  const later = useLater(() => import('../panel/below'), hasAny);
  return later && <later.Below />;
}

const ACTIONS = { group: 'group-by', color: 'colors', sort: 'sort-runs' } as const;

/** Three buttons of the run panel, each with its choice: what groups, colours and sorts the runs. */
function PanelTools() {
  const page = usePage();
  const t = page.t.value;
  const { runs, panel, colorBy, menu } = page;
  const { value: by } = runs.groupBy;
  const titleOf = (key: string): string =>
    panel.value?.titleOf(key) ?? key.slice(key.startsWith('name~') ? 5 : key.lastIndexOf('/') + 1);
  const titles = (keys: readonly string[]): string => keys.map(titleOf).join(', ');
  const [sort = 'time'] = runs.sort.value.filter((key) => key !== 'selected');
  const isColumn = /^[+-]/.test(sort);
  const texts: Readonly<Record<PanelMenu['kind'], string>> = {
    group: titles(by) || t('runs.none.short'),
    color: titles(colorBy.value) || t(by.length > 0 ? 'runs.color.group' : 'runs.color.run'),
    sort: isColumn ? titleOf(sort.slice(1)) : t(sort === 'name' ? 'runs.sort.name' : 'runs.sort.time'),
  };
  return (
    <div class="ih-panel-tools">
      {(page.aboutOne.value ? (['sort'] as const) : (['group', 'color', 'sort'] as const)).map((kind) => (
        <button
          key={kind}
          type="button"
          class="ih-panel-tool"
          aria-haspopup="dialog"
          aria-expanded={menu.value?.kind === kind}
          title={`${t(`runs.${kind}`)}: ${texts[kind]}`}
          data-action={ACTIONS[kind]}
          onClick={({ currentTarget: anchor }) => {
            void loadPanel(page);
            menu.value = menu.peek()?.kind === kind ? null : { kind, anchor };
          }}
        >
          <span>{t(`runs.${kind}.short`)} </span>
          <span>{texts[kind]}</span>
          {isColumn && kind === 'sort' && <i aria-hidden="true">{sort.startsWith('-') ? '↓' : '↑'}</i>}
        </button>
      ))}
    </div>
  );
}
