/** The run selector: filter, selection, and a virtualised list. */
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Run } from '@insight-host/api';
import { FINGER, fontsCame, isPhone, linesInSight, showing, trackOf, useSize } from '@insight-host/kit/lab';
import type { TargetedMouseEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Icon } from '@insight-host/kit';
import { usePage } from '../state/page';
import { pressed } from '../state/selection';

const OVERSCAN = 6;
const LETTER = 13; // pixels, those of a name

/** Texts that tell names apart in the narrowest element of `place` that shows one, measured when `by` changes. */
export function useNames(
  place: { readonly current: HTMLElement | null },
  names: readonly string[],
  by: readonly unknown[],
): readonly string[] {
  const room = useSignal(Infinity);
  const draw = useSignal<typeof import('@insight-host/kit/draw') | null>(null);
  useLayoutEffect(() => {
    const shown = [...(place.current?.querySelectorAll('.ih-run-name') ?? [])];
    room.value = Math.min(...shown.map(({ clientWidth }) => clientWidth));
    if (draw.peek() || shown.every(({ clientWidth, scrollWidth }) => scrollWidth <= clientWidth)) return;
    import('@insight-host/kit/draw').then(
      (found) => void (draw.value = found),
      () => undefined, // the host is away: names end with an ellipsis
    );
  }, [names, ...by]);
  const { value: drawn } = draw;
  return useMemo(
    () => drawn?.namesApart(names, room.value, LETTER, drawn.textWidth) ?? names,
    [names, room.value, drawn, fontsCame.value],
  );
}

export function RunList() {
  const page = usePage();
  const t = page.t.value;
  const { runs } = page;
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const { width, height } = useSize(scroller).value;
  const rowHeight = isPhone.value ? FINGER : 28;
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
  const named = page.aboutOne.value ?? runs.shown.value;
  const names = useNames(
    scroller,
    useMemo(() => named.map(({ displayName }) => displayName), [named]),
    [width, rows.length === 0, runs.metric.value, page.hasDialects.value, page.comparing.value],
  );
  const shortOf = useMemo(() => new Map(named.map(({ name }, at) => [name, names[at]])), [names]);
  const [first, last] = linesInSight(top.value, height, rowHeight, rows.length, OVERSCAN);

  const choose = (run: Run): void => {
    runs.one.set(run.name, 'push');
    if (isPhone.value) page.sidebarOpen.value = false; // the sheet has done what it was opened for
  };
  const only = (run: Run): void => (isAboutOne ? choose(run) : runs.selectOnly(run));
  const press = (run: Run, range: boolean): void => {
    active.value = rows.indexOf(run);
    if (page.comparing.value?.pick(run.name)) return;
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
      trackOf(rows.length * rowHeight, element.clientHeight),
      element.scrollTop,
      at * rowHeight,
      (at + 1) * rowHeight,
    );
  };
  useEffect(() => {
    if (place >= 0) reveal(place);
  }, [one, height]); // not where others come: the user may be scrolling
  const onKeyDown = (event: KeyboardEvent): void => {
    const run = rows[active.value];
    const screen = Math.max(1, Math.floor(height / rowHeight) - 1);
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
      <div class="ih-run-rows" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((run, at) => (
          <RunRowView
            key={run.name}
            run={run}
            short={shortOf.get(run.name)}
            at={first + at}
            count={rows.length}
            top={(first + at) * rowHeight}
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

interface Props {
  readonly run: Run;
  /** As much of its name as fits; all of it without. */
  readonly short?: string | undefined;
  readonly at: number;
  readonly count: number;
  readonly top: number;
  readonly selected: boolean;
  readonly active: boolean;
  readonly onPress: (run: Run, range: boolean) => void;
  readonly onOnly: (run: Run) => void;
  readonly naming: boolean;
  /** The rename input has closed. */
  readonly onNamed?: () => void;
  /** The list chooses one run. */
  readonly radio?: boolean;
}

const SAMPLE = 14; // pixels, the width of a swatch

const BADGES = { mindspore: 'MS', tensorboard: 'TB' } as const;

/** One run of the list. */
export function RunRowView(props: Props) {
  const { run, at, count, top, selected, active, onPress, onOnly } = props;
  return (
    <div
      id={`run-row-${at}`}
      class={`ih-run${active ? ' ih-active' : ''}${run.archived ? ' ih-archived' : ''}`}
      role="option"
      aria-selected={selected}
      aria-posinset={at + 1}
      aria-setsize={count}
      style={{ transform: `translateY(${top}px)` }}
      title={titleOf(run)}
      data-run={run.name}
      data-hover-run={run.name}
      onClick={(event) => onPress(run, event.shiftKey)}
      onDblClick={() => onOnly(run)}
    >
      <span class={`ih-tick${props.radio ? ' ih-radio' : ''}`} aria-hidden="true" />
      <RunLabel {...props} />
    </div>
  );
}

type LabelProps = Pick<Props, 'run' | 'short' | 'selected' | 'naming' | 'onNamed'>;

/** A sample that shows colour and dash; hollow while it is not drawn. */
export function swatchOf({ color, dash }: Pick<Run, 'color' | 'dash'>, isDrawn: boolean): Record<string, string> {
  if (!isDrawn) return { borderColor: color };
  if (dash.length === 0) return { borderColor: color, background: color };
  const length = dash.reduce((sum, part) => sum + part, 0);
  const scale = SAMPLE / length / (dash.length > 2 ? 1 : 2);
  let at = 0;
  const stops = dash.map((part, place) => {
    const from = at;
    at += part * scale;
    return `${place % 2 ? '#0000' : color} ${from}px ${at}px`;
  });
  const line = `repeating-linear-gradient(90deg, ${stops.join()}) center / 100% 4px no-repeat border-box`;
  return { borderColor: 'transparent', background: line };
}

/** Colour, name and badges of a run, and what can be done with it. */
export function RunLabel({ run, short, selected, naming, onNamed }: LabelProps) {
  const page = usePage();
  const t = page.t.value;
  const NameField = page.nameField.value;
  const comparing = page.comparing.value;
  const metric = page.tableOpen.value ? null : page.runs.metric.value;
  // on a phone it is always in sight, and an option holds no control: readers find the menu by a long press
  const tool = {
    class: 'ih-run-tool',
    'data-action': 'run-menu',
    title: t('runs.menu'),
    onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => {
      event.stopPropagation();
      page.dialog.value = { kind: 'run', run, anchor: event.currentTarget };
    },
    onDblClick: (event: Event) => event.stopPropagation(),
    children: <Icon name="more" />,
  };
  return (
    <>
      <span
        class="ih-swatch"
        style={swatchOf(run, selected)}
        onClick={(event) => {
          event.stopPropagation();
          page.pickColor(run.name, event.currentTarget);
        }}
      />
      {run.mark > 0 && <Icon name={`mark-${run.mark}`} />}
      {naming && NameField ? (
        <NameField run={run} onDone={() => onNamed?.()} />
      ) : (
        <span class={`ih-run-name${run.displayName === run.name ? '' : ' ih-given'}`}>{short ?? run.displayName}</span>
      )}
      {run.loading && (
        <span class="ih-run-loading" role="img" aria-label={t('runs.loading')} title={t('runs.loading')} />
      )}
      {run.damage > 0 && (
        // no button: an option holds no other control, and the footer leads there by keyboard
        <span
          class="ih-badge ih-badge-warn"
          title={t('damage.badge', { count: run.damage })}
          onClick={(event) => {
            event.stopPropagation();
            page.dialog.value = { kind: 'damage', run: run.name };
          }}
        >
          {run.damage > 999 ? '999+' : run.damage}
        </span>
      )}
      {!metric && page.hasDialects.value && run.dialects.length > 0 && <Dialects dialects={run.dialects} />}
      {metric && <metric.Beside run={run} />}
      {comparing && !isPhone.value && <comparing.Tool run={run} />}
      {isPhone.value ? (
        <span {...(tool as object)} />
      ) : (
        <button {...tool} type="button" tabIndex={-1} aria-label={t('runs.menu')} aria-haspopup="menu" />
      )}
    </>
  );
}

/** What wrote the logs of a run: one badge, so that all names have the same room. */
function Dialects({ dialects }: Pick<Run, 'dialects'>) {
  const t = usePage().t.value;
  const [first = '', more] = dialects;
  return (
    <span
      class="ih-badge"
      title={dialects.map((one) => (one in BADGES ? t(`dialect.${one as keyof typeof BADGES}`) : one)).join('\n')}
    >
      {BADGES[first as keyof typeof BADGES] ?? first.slice(0, 2).toUpperCase()}
      {more && '+'}
    </span>
  );
}

/** The name, that on disk where people call it another, then what was noted. */
function titleOf({ displayName, name, remark, note }: Run): string {
  return [...new Set([displayName, name, remark, note])].filter(Boolean).join('\n');
}
