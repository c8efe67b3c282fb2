/** What stands above the timeline: search, zoom, steps, colours, files. */
import { Button, Choice, Cluster, Menu, Toggle, useDraft, useTableView } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { stepsText } from '../steps';
import { countText, timeText } from '../units';
import { tableOfSight } from './sight_table';
import type { Stage } from './stage';
import { zoomed } from './span';

const SHOWN = 100;

export function Tools({ stage }: { readonly stage: Stage }): JSX.Element {
  const { state } = stage;
  const { t: say } = state.page;
  const { board } = state;
  const zoom = (factor: number): void => {
    const { value: span } = state.span;
    state.look(zoomed(span, state.whole.value, (span.from + span.to) / 2, factor));
  };
  const sum = (): void => {
    const { from, to, tracks } = state.subject.value;
    board.range.set({ from: Math.floor(from), to: Math.ceil(to), tracks }, 'push');
  };
  const steps = state.tracks.value?.steps ?? [];
  const chosen = board.steps.value;
  return (
    <div class="table-tools timeline-tools" role="toolbar" aria-label={say('view.timeline')}>
      <SearchBox stage={stage} />
      <Cluster>
        <Button action="zoom-out" text="−" label={say('timeline.zoom_out')} onPress={() => zoom(1 / 0.5)} />
        <Button action="zoom-in" text="+" label={say('timeline.zoom_in')} onPress={() => zoom(0.5)} />
        <Button
          action="zoom-all"
          icon="reset"
          label={say('timeline.zoom_all')}
          disabled={state.window.value === null}
          onPress={() => state.window.set(null)}
        />
      </Cluster>
      {steps.length > 0 && (
        <Cluster>
          <Button action="step-before" icon="previous" label={say('steps.before')} onPress={() => state.stepBy(-1)} />
          <span class="count" data-testid="timeline-step">
            {chosen
              ? say(chosen.first === chosen.last ? 'steps.one' : 'steps.range', { steps: stepsText(chosen) })
              : say('timeline.all_steps')}
          </span>
          <Button action="step-after" icon="next" label={say('steps.after')} onPress={() => state.stepBy(1)} />
        </Cluster>
      )}
      <Choice
        say={say}
        name="timeline-color"
        label={say('timeline.color')}
        words="timeline.color"
        values={['name', 'category']}
        setting={state.color}
      />
      <span class="ends">
        <Button
          action="summary"
          icon="columns"
          text={say('timeline.summary')}
          label={say('timeline.summary.hint')}
          pressed={board.range.value !== null}
          onPress={() => (board.range.value ? board.range.set(null) : sum())}
        />
        <Button action="open-all" icon="open" label={say('timeline.open_all')} onPress={() => state.turnAll(true)} />
        <Button
          action="close-all"
          icon="closed"
          label={say('timeline.close_all')}
          onPress={() => state.turnAll(false)}
        />
        <Files stage={stage} />
        <Toggle
          action="full-screen"
          icon="full"
          label={say(state.isFull.value ? 'full.leave' : 'full.enter')}
          setting={state.isFull}
        />
      </span>
    </div>
  );
}

/** The stretch that was chosen, or what is in sight, as a table and for other programs. */
function Files({ stage }: { readonly stage: Stage }): JSX.Element {
  const { state } = stage;
  const { t: say } = state.page;
  const table = useTableView(
    state.page,
    'timeline',
    say('view.timeline'),
    () => tableOfSight(stage),
    () => import('@insight-host/kit/table'),
  );
  return (
    <>
      <Menu
        action="timeline-files"
        icon="export"
        label={say(state.board.range.value ? 'timeline.files.range' : 'timeline.files.window')}
        items={() => {
          const { from, to, tracks } = state.subject.value;
          const query = {
            ...state.board.profiles.query.value,
            from: Math.floor(from),
            to: Math.ceil(to),
            tracks: tracks?.join() ?? null,
          };
          const { data } = state.page.ctx;
          return [
            table.item,
            { action: 'trace', text: say('timeline.files.trace'), href: data.href('trace', query) },
            {
              action: 'trace-packed',
              text: say('timeline.files.packed'),
              href: data.href('trace', { ...query, packed: 1 }),
            },
            { action: 'perfetto', text: say('timeline.perfetto'), onPress: () => (state.dialog.value = 'perfetto') },
          ];
        }}
      />
      {table.dialog}
    </>
  );
}

/** A name to look for, how many slices have it, and a list of them. */
function SearchBox({ stage }: { readonly stage: Stage }): JSX.Element {
  const { state } = stage;
  const { search } = state;
  const { t: say } = state.page;
  const locale = state.page.locale.value;
  const draft = useDraft(search.text, 200);
  const isOpen = useSignal(false);
  const { value: answer } = search.answer;
  const { value: error } = search.error;
  const { value: place } = search.place;
  const count =
    answer === null
      ? ''
      : place >= 0
        ? say('timeline.found.at', { place: countText(place + 1, locale), total: countText(answer.total, locale) })
        : say('timeline.found', { count: answer.total });
  const list = isOpen.value && answer !== null && answer.total > 0 ? answer : null;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      void search.step(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      if (isOpen.value) isOpen.value = false;
      else (event.currentTarget as HTMLElement).blur();
    } else if (event.key === 'ArrowDown') isOpen.value = true;
  };
  const leave = (event: FocusEvent): void => {
    if (!(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null)) isOpen.value = false;
  };
  return (
    <span class="search timeline-search" onFocusOut={leave}>
      <input
        ref={(element) => void (search.input = element)}
        type="search"
        class={error === null ? 'filter' : 'filter bad'}
        data-control="timeline-search"
        placeholder={say('timeline.search')}
        aria-label={say('timeline.search')}
        aria-invalid={error !== null}
        aria-controls={list ? 'timeline-found' : undefined}
        title={error ?? say('timeline.search.hint')}
        spellcheck={false}
        autocomplete="off"
        value={draft.value}
        onFocus={() => (isOpen.value = true)}
        onInput={(event) => {
          isOpen.value = true;
          draft.set(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <Toggle action="timeline-regex" text=".*" label={say('search.regex')} setting={search.regex} />
      <Button
        action="find-before"
        icon="previous"
        label={say('timeline.find.before')}
        disabled={!answer || answer.total === 0}
        onPress={() => void search.step(-1)}
      />
      <Button
        action="find-after"
        icon="next"
        label={say('timeline.find.after')}
        disabled={!answer || answer.total === 0}
        onPress={() => void search.step(1)}
      />
      <span class="count" data-testid="timeline-found-count" role="status">
        {count}
      </span>
      {list && (
        <div class="timeline-found" id="timeline-found" data-testid="timeline-found" tabIndex={-1}>
          <ul aria-label={say('timeline.found.names')}>
            {list.names.slice(0, 8).map(({ name, count: calls, total }) => (
              <li key={name} class="of-name">
                <span class="name" title={name}>
                  {name || '—'}
                </span>
                <span class="number">{say('timeline.times', { count: calls })}</span>
                <span class="number">{timeText(total, locale)}</span>
              </li>
            ))}
            {list.names.length > 8 && (
              <li class="hint">{say('timeline.found.more_names', { count: list.names.length - 8 })}</li>
            )}
          </ul>
          <ul aria-label={say('timeline.found.slices')}>
            {list.rows.slice(0, SHOWN).map((row, i) => (
              <li key={row.id}>
                <button
                  type="button"
                  data-found={row.id}
                  aria-current={place === list.offset + i}
                  title={row.name}
                  onClick={() => search.go(row, list.offset + i)}
                >
                  <span class="name">{row.name || '—'}</span>
                  <span class="number">{timeText(row.start, locale)}</span>
                  <span class="number">{timeText(row.duration, locale)}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </span>
  );
}
