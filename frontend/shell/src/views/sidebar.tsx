/** The left side: filter and selection over the list of runs. Its width is the user's. */
import { Icon } from '@insight-host/kit';
import { drag } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { recall, remember } from '../state/memory';
import { usePage } from '../state/page';
import { inverted, triState, withRows } from '../state/selection';
import { RunList } from './run_list';

const NARROWEST = 200;
const WIDEST = 560;
const COLUMN = 70; // pixels that a column of the run table adds (runs.css)
const clampWidth = (width: number): number => Math.round(Math.max(NARROWEST, Math.min(WIDEST, width || 264)));

export function Sidebar() {
  const page = usePage();
  const columns = page.columns.value;
  const width = useSignal(clampWidth(recall('page', 'sidebar', 264)));
  if (!page.sidebarOpen.value || !page.hasSidebar.value) return null;
  const resize = (to: number): void => {
    width.value = clampWidth(to);
    remember('page', 'sidebar', width.value);
  };
  const onPointerDown = (event: PointerEvent): void => {
    const before = width.value;
    drag(event, { move: (_, dx) => resize(before + dx), cancel: () => resize(before) });
  };
  return (
    <aside
      class="ih-sidebar"
      style={{ width: `${width.value + COLUMN * (columns?.columns.shown.value.length ?? 0)}px` }}
      aria-label={page.t.value('runs')}
    >
      <RunFilter />
      <SelectionBar />
      {columns && <columns.Heads columns={columns.columns} />}
      <RunList />
      <LimitNote />
      <div
        class="ih-resizer"
        role="separator"
        aria-orientation="vertical"
        aria-label={page.t.value('runs.resize')}
        aria-valuenow={width.value}
        aria-valuemin={NARROWEST}
        aria-valuemax={WIDEST}
        tabIndex={0}
        onPointerDown={onPointerDown}
        onDblClick={() => resize(264)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') resize(width.value - 16);
          if (event.key === 'ArrowRight') resize(width.value + 16);
        }}
      />
    </aside>
  );
}

function RunFilter() {
  const page = usePage();
  const t = page.t.value;
  const { filter, filterText } = page.runs;
  const error = filter.value.error;
  return (
    <div class="ih-run-filter">
      <div class="ih-field">
        <Icon name="filter" />
        <input
          id="run-filter"
          class="ih-input ih-mono"
          type="text"
          spellcheck={false}
          autocomplete="off"
          placeholder={t('runs.filter')}
          aria-label={t('runs.filter')}
          aria-invalid={error !== null}
          aria-describedby={error ? 'run-filter-error' : undefined}
          value={filterText.value}
          onInput={(event) => filterText.set(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            if (filterText.value) filterText.set('');
            else event.currentTarget.blur();
          }}
        />
        {filterText.value && (
          <button
            type="button"
            class="ih-button ih-quiet ih-square ih-small"
            aria-label={t('runs.clear')}
            onClick={() => filterText.set('')}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {error && (
        <p id="run-filter-error" class="ih-field-note ih-run-filter-error" role="status" title={error}>
          {t('runs.filter.invalid', { reason: error })}
        </p>
      )}
    </div>
  );
}

function SelectionBar() {
  const page = usePage();
  const t = page.t.value;
  const { runs } = page;
  const rows = runs.rows.value;
  const state = triState(runs.selectedSet.value, rows);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  });
  const total = runs.all.value.length;
  const selected = rows.filter((run) => runs.selectedSet.value.has(run.name)).length;
  const filtered = runs.filterText.value !== '';
  const sort = runs.sort.value;
  const sorted = t(`runs.sort.${/^[+-]/.test(sort) ? 'column' : sort === 'name' ? 'name' : 'time'}`);
  return (
    <div class="ih-selection-bar">
      <input
        ref={box}
        type="checkbox"
        class="ih-checkbox"
        checked={state === 'all'}
        disabled={rows.length === 0}
        aria-label={t('runs.all')}
        title={t('runs.all')}
        onChange={() => runs.select(withRows(runs.selectedSet.value, rows, state !== 'all'))}
      />
      <span
        class="ih-selection-count ih-muted"
        data-testid="run-count"
        title={t(filtered ? 'runs.count.filtered' : 'runs.count', { selected, shown: rows.length, total })}
      >
        {t(filtered ? 'runs.count.filtered.short' : 'runs.count.short', { selected, shown: rows.length, total })}
      </span>
      <button
        type="button"
        class="ih-button ih-quiet ih-square ih-small"
        aria-label={t('runs.invert.hint')}
        title={t('runs.invert.hint')}
        disabled={rows.length === 0}
        onClick={() => runs.select(inverted(runs.selectedSet.value, rows))}
      >
        <Icon name="invert" />
      </button>
      <button
        type="button"
        class="ih-button ih-quiet ih-square ih-small"
        aria-label={t('columns.title')}
        title={t('columns.title')}
        data-action="columns"
        onClick={() => (page.dialog.value = { kind: 'columns' })}
      >
        <Icon name="columns" />
      </button>
      <button
        type="button"
        class="ih-button ih-quiet ih-small"
        aria-label={`${t('runs.sort.label')}: ${sorted}`}
        title={t('runs.sort.label')}
        onClick={() => runs.sort.set(sort === 'time' ? 'name' : 'time')}
      >
        <Icon name="sort" /> {sorted}
      </button>
    </div>
  );
}

function LimitNote() {
  const { t, runs } = usePage();
  if (!runs.limited.value) return null;
  return (
    <p class="ih-limit-note">
      {t.value('runs.limited', { count: runs.selectedSet.value.size })}{' '}
      <button type="button" class="ih-link" onClick={() => runs.select(runs.all.value.map((run) => run.name))}>
        {t.value('runs.limited.all', { count: runs.all.value.length })}
      </button>
    </p>
  );
}
