/** The timeline: every slice of the profile on the track it ran on. */
import { addKeys, Empty } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { inkOf } from '../figures/ink';
import { Legend } from '../figures/legend';
import { Tip, type TipState } from '../figures/tip';
import { countText, timeText } from '../units';
import type { ViewProps } from '../views';
import { categoryText } from '../words';
import { CATEGORY_NAMES } from './answers';
import { axisOf } from './axis';
import { KEYS, onKey } from './keyboard';
import { PerfettoDialog } from './perfetto';
import { SelectionPanel } from './selection_panel';
import { SlicePanel } from './slice_panel';
import { MINIMAP, RULER, Stage } from './stage';
import { TimelineState } from './state';
import styles from './timeline.css?inline';
import { Tools } from './tools';
import { TrackLabels } from './track_labels';
import { lengthOf, moved, zoomed } from './span';
import { signal, useComputed } from '@preact/signals';

export default function Timeline({ board }: ViewProps): JSX.Element {
  const state = useMemo(() => new TimelineState(board), []);
  const stage = useMemo(() => new Stage(state), []);
  useEffect(
    () => () => {
      stage.dispose();
      state.page.dispose();
    },
    [],
  );
  const { t: say } = board.page;
  const { value: tracks } = state.tracks;
  const root = useRef<HTMLDivElement>(null);
  useKeys(stage, root);
  if (!tracks) {
    const { value: error } = state.tracksError;
    return error === null ? (
      <div class="waiting" aria-busy="true" />
    ) : (
      <Empty title={say('failure.view')} text={error}>
        <button type="button" data-action="retry" onClick={() => state.retry()}>
          {say('retry')}
        </button>
      </Empty>
    );
  }
  if (state.layout.value.rows.length === 0)
    return <Empty title={say('timeline.nothing')} text={say('timeline.nothing.text')} />;
  return (
    <div
      ref={root}
      class={state.isFull.value ? 'timeline full' : 'timeline'}
      data-testid="timeline"
      data-complete={tracks.complete}
    >
      <style>{styles}</style>
      <Tools stage={stage} />
      <Categories stage={stage} />
      {(tracks.tracks.length < tracks.track_count || tracks.counters.length < tracks.counter_count) && (
        <p class="hint" data-testid="timeline-cut">
          {say('timeline.cut', {
            shown: countText(tracks.tracks.length + tracks.counters.length, state.page.locale.value),
            total: countText(tracks.track_count + tracks.counter_count, state.page.locale.value),
          })}
        </p>
      )}
      <Trouble stage={stage} />
      <div class="timeline-body">
        <div class="timeline-main">
          <Picture stage={stage} />
          {board.range.value && <SelectionPanel stage={stage} range={board.range.value} />}
        </div>
        {state.chosenId.value !== null && <SlicePanel state={state} />}
      </div>
      {state.dialog.value === 'perfetto' && <PerfettoDialog state={state} />}
    </div>
  );
}

/** Keys count wherever the focus is, but in fields and dialogs. */
function useKeys(stage: Stage, root: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { target } = event;
      const element = root.current;
      if (
        !element ||
        !stage.state.page.visible.value ||
        event.defaultPrevented ||
        document.querySelector('dialog[open]')
      )
        return;
      if (!(target instanceof HTMLElement) || (target !== document.body && !element.contains(target))) return;
      if (target.matches('input, select, textarea, [contenteditable]')) return;
      const isControl = target.matches('button, a, [role=slider], .grid, .grid *');
      if (isControl && /^(Enter| |Arrow.*|Page.*|Home|End)$/.test(event.key)) return;
      if (!onKey(stage, event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // before the keys of the page, of which some are the same
    addEventListener('keydown', pressed, true);
    const stop = addKeys(stage.state.page.ctx, KEYS);
    return () => {
      removeEventListener('keydown', pressed, true);
      stop();
    };
  }, []);
}

/** What the colours mean, where they are those of categories. */
function Categories({ stage }: { readonly stage: Stage }): JSX.Element | null {
  const { state } = stage;
  if (state.color.value !== 'category') return null;
  const ink = inkOf(state.page.theme.value);
  const names = CATEGORY_NAMES.filter((_, i) => (stage.categories.value >> i) & 1);
  return (
    <div class="timeline-legend">
      <Legend
        entries={names.map((name) => ({
          key: name,
          color: ink.category(name),
          label: categoryText(state.board, name),
        }))}
      />
    </div>
  );
}

function Trouble({ stage }: { readonly stage: Stage }): JSX.Element | null {
  const { value: error } = useComputed(() => stage.store.error ?? stage.state.tracksError.value);
  if (error === null) return null;
  return (
    <p class="problem" role="status">
      {error}{' '}
      <button type="button" data-action="retry" onClick={() => (stage.store.retry(), stage.state.retry())}>
        {stage.state.page.t('retry')}
      </button>
    </p>
  );
}

/** The canvases with the names of the tracks next to them. */
function Picture({ stage }: { readonly stage: Stage }): JSX.Element {
  const { state } = stage;
  const { t: say } = state.page;
  const [rows, ruler, minimap, scroll] = [
    useRef<HTMLCanvasElement>(null),
    useRef<HTMLCanvasElement>(null),
    useRef<HTMLCanvasElement>(null),
    useRef<HTMLDivElement>(null),
  ];
  useEffect(() => {
    if (rows.current && ruler.current && minimap.current && scroll.current)
      stage.attach({ rows: rows.current, ruler: ruler.current, minimap: minimap.current, scroll: scroll.current });
  }, []);
  const locale = state.page.locale.value;
  const { value: span } = state.span;
  const { value: whole } = state.whole;
  const seen = say('timeline.window', {
    from: timeText(span.from, locale),
    to: timeText(span.to, locale),
    length: timeText(lengthOf(span), locale),
  });
  const slices = (state.tracks.value?.tracks ?? []).reduce((sum, track) => sum + track.slices, 0);
  const busy = useComputed(() => stage.store.busy);
  const onMinimapKey = (event: KeyboardEvent): void => {
    const move: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => state.look(moved(span, whole, -lengthOf(span) * 0.2)),
      ArrowRight: () => state.look(moved(span, whole, lengthOf(span) * 0.2)),
      ArrowUp: () => state.look(zoomed(span, whole, (span.from + span.to) / 2, 0.7)),
      ArrowDown: () => state.look(zoomed(span, whole, (span.from + span.to) / 2, 1 / 0.7)),
      Home: () => state.look({ from: whole.from, to: whole.from + lengthOf(span) }),
      End: () => state.look({ from: whole.to - lengthOf(span), to: whole.to }),
    };
    const run = move[event.key];
    if (!run) return;
    run();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={busy.value ? 'timeline-picture busy' : 'timeline-picture'}>
      <div class="timeline-heads">
        <div class="timeline-corner" style={{ height: `${MINIMAP + RULER}px` }}>
          <strong>{timeText(lengthOf(span), locale)}</strong>
          <span class="count">{say('timeline.of', { length: timeText(lengthOf(whole), locale) })}</span>
          {(state.tracks.value?.steps.length ?? 0) > 0 && (
            <span class="corner-steps">
              {say(
                state.board.profiles.profile.value?.step_origin === 'inferred' ? 'steps.inferred' : 'timeline.steps',
              )}
            </span>
          )}
        </div>
        <div class="timeline-plot">
          <canvas
            ref={minimap}
            class="minimap"
            data-testid="timeline-minimap"
            role="slider"
            tabIndex={0}
            aria-label={say('timeline.minimap')}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(((span.from - whole.from) / lengthOf(whole)) * 100)}
            aria-valuetext={seen}
            onKeyDown={onMinimapKey}
            style={{ height: `${MINIMAP}px` }}
          />
          <canvas
            ref={ruler}
            class="ruler"
            data-testid="timeline-ruler"
            role="img"
            aria-label={`${say('timeline.axis')}: ${axisOf(span, state.width.value, locale)
              .ticks.map(({ text }) => text)
              .join(', ')}`}
            style={{ height: `${RULER}px` }}
          />
        </div>
      </div>
      <div class="timeline-rows">
        <div ref={scroll} class="timeline-scroll" tabIndex={-1}>
          <TrackLabels stage={stage} />
        </div>
        <div class="timeline-canvas">
          <canvas
            ref={rows}
            data-testid="timeline-canvas"
            role="application"
            tabIndex={0}
            aria-label={say('timeline.label', {
              tracks: countText(state.layout.value.rowOf.size, locale),
              slices: countText(slices, locale),
            })}
            aria-description={say('timeline.keys')}
            data-from={Math.round(span.from)}
            data-to={Math.round(span.to)}
          />
        </div>
      </div>
      <p class="visually-hidden" role="status" aria-live="polite">
        {state.slice.value ? `${state.slice.value.name}, ${timeText(state.slice.value.duration, locale)}` : seen}
      </p>
      <Pointed stage={stage} />
    </div>
  );
}

/** What the pointer is at. */
function Pointed({ stage }: { readonly stage: Stage }): JSX.Element | null {
  const { state } = stage;
  const { t: say } = state.page;
  const { value: hit } = stage.pointed;
  const tip = useMemo(() => signal<TipState | null>(null), []);
  if (!hit || state.draft.value) return null;
  const locale = state.page.locale.value;
  const lines: (readonly [string, string])[] = [
    [say('column.duration'), timeText(hit.duration, locale)],
    [say('lanes.start'), timeText(hit.start, locale)],
    [say('timeline.category'), categoryText(state.board, hit.category)],
  ];
  const several: readonly [string, string] = [say('timeline.merged'), countText(hit.merged, locale)];
  tip.value = {
    x: hit.x,
    y: hit.y,
    title: hit.name || '—',
    lines:
      hit.merged > 1 ? [several, [say('timeline.together'), timeText(hit.duration, locale)], ...lines.slice(1)] : lines,
  };
  return <Tip tip={tip} />;
}
