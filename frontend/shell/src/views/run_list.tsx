/** The run selector: filter, selection, and a virtualised list. */
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Run } from '@insight-host/api';
import { linesInSight, showing, trackOf, useSize } from '@insight-host/kit/lab';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../state/page';
import { pressed } from '../state/selection';
import { RunRowView } from './run_row';

const ROW_HEIGHT = 28;
const OVERSCAN = 6;

export function RunList() {
  const page = usePage();
  const t = page.t.value;
  const { runs } = page;
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const { height } = useSize(scroller).value;
  const active = useSignal(0);
  const anchor = useRef<string | null>(null);

  const listed = (): readonly Run[] => page.aboutOne.value ?? runs.rows.value;
  useSignalEffect(() => {
    active.value = Math.min(active.peek(), Math.max(0, listed().length - 1));
  });

  const rows = listed();
  const isAboutOne = page.aboutOne.value !== null;
  const one = page.oneOf(page.front.value?.name ?? '', runs).value ?? '';
  const place = isAboutOne ? rows.findIndex(({ name }) => name === one) : -1;
  const selected = isAboutOne ? new Set([one]) : runs.selectedSet.value;
  const [first, last] = linesInSight(top.value, height, ROW_HEIGHT, rows.length, OVERSCAN);

  const choose = (run: Run): void => runs.one.set(run.name, 'push');
  const only = (run: Run): void => (isAboutOne ? choose(run) : runs.selectOnly(run));
  const press = (run: Run, range: boolean): void => {
    active.value = rows.indexOf(run);
    if (isAboutOne) return choose(run);
    const next = pressed(selected, rows, run.name, range ? anchor.current : null);
    runs.select(next.selected);
    anchor.current = next.anchor;
  };
  const move = (to: number): void => {
    const at = Math.max(0, Math.min(rows.length - 1, to));
    active.value = at;
    page.hovered.set(rows.slice(at, at + 1).map((run) => run.name));
    reveal(at);
  };
  const reveal = (at: number): void => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = showing(
      trackOf(rows.length * ROW_HEIGHT, element.clientHeight),
      element.scrollTop,
      at * ROW_HEIGHT,
      (at + 1) * ROW_HEIGHT,
    );
  };
  useEffect(() => {
    if (place >= 0) reveal(place);
  }, [one, height]); // not where others come: the user may be scrolling
  const onKeyDown = (event: KeyboardEvent): void => {
    const run = rows[active.value];
    const screen = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1);
    const steps: Record<string, number> = {
      ArrowDown: active.value + 1,
      ArrowUp: active.value - 1,
      PageDown: active.value + screen,
      PageUp: active.value - screen,
      Home: 0,
      End: rows.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) move(to);
    else if (event.key === ' ' && run) press(run, event.shiftKey);
    else if (event.key === 'Enter' && run) only(run);
    else if (event.key === 'c' && run && !event.ctrlKey && !event.metaKey)
      page.pickColor(run.name, event.currentTarget as Element);
    else if (event.key === 'F2' && run && page.session.annotations.writable.value) page.naming.value = run.name;
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={scroller}
      class="ih-run-list"
      {...(rows.length > 0 ? { role: 'listbox', 'aria-multiselectable': !isAboutOne } : { role: 'group' })}
      aria-label={t('runs')}
      aria-activedescendant={rows.length ? `run-row-${active.value}` : undefined}
      tabIndex={0}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
      onKeyDown={onKeyDown}
      onFocus={() => {
        if (isAboutOne) active.value = Math.max(0, place);
      }}
      onContextMenu={(event) => {
        const row = (event.target as Element).closest('.ih-run') ?? scroller.current?.querySelector('.ih-active');
        const menu = row?.querySelector<HTMLElement>('[data-action=run-menu]');
        if (menu) event.preventDefault();
        menu?.click();
      }}
    >
      <div class="ih-run-rows" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(first, last).map((run, at) => (
          <RunRowView
            key={run.name}
            run={run}
            at={first + at}
            count={rows.length}
            top={(first + at) * ROW_HEIGHT}
            selected={selected.has(run.name)}
            active={first + at === active.value}
            onPress={press}
            onOnly={only}
            naming={run.name === page.naming.value}
            onNamed={() => scroller.current?.focus()}
            radio={isAboutOne}
          />
        ))}
      </div>
      {rows.length === 0 && runs.all.value.length > 0 && <p class="ih-muted ih-run-none">{t('runs.none')}</p>}
    </div>
  );
}
