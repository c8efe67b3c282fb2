/** Everything about the chosen slice. */
import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import { shareText, timeText } from '../units';
import { categoryText, word } from '../words';
import type { Flow, OperatorOfSlice, SliceAnswer } from './answers';
import type { TimelineState } from './state';

const MOST_FLOWS = 50;

export function SlicePanel({ state }: { readonly state: TimelineState }): JSX.Element {
  const { t: say } = state.page;
  const { value: slice } = state.slice;
  const { value: error } = state.sliceError;
  return (
    <aside class="panel" aria-label={say('timeline.slice')} data-testid="slice-panel">
      <header>
        <h3 title={slice?.name ?? ''}>{slice ? slice.name || '—' : say('timeline.slice')}</h3>
        {slice && <Button action="fit-slice" icon="box" label={say('timeline.fit')} onPress={() => state.fit()} />}
        <Button action="close-panel" icon="close" label={say('panel.close')} onPress={() => state.choose(null)} />
      </header>
      {error !== null && (
        <p class="problem" role="status">
          {error}
        </p>
      )}
      {slice && (
        <>
          <Facts state={state} slice={slice} />
          <Links state={state} slice={slice} />
          {slice.parents.length > 0 && <Parents state={state} slice={slice} />}
          {slice.flows.length > 0 && <Flows state={state} flows={slice.flows} />}
          <Arguments state={state} slice={slice} />
        </>
      )}
    </aside>
  );
}

interface SliceProps {
  readonly state: TimelineState;
  readonly slice: SliceAnswer;
}

function trackText(state: TimelineState, id: number): string {
  const tracks = state.tracks.value?.tracks ?? [];
  const track = tracks.find((one) => one.id === id);
  const parent = tracks.find((one) => one.id === track?.parent);
  return [parent?.label, track?.label].filter(Boolean).join(' › ');
}

function Facts({ state, slice }: SliceProps): JSX.Element {
  const { t: say } = state.page;
  const locale = state.page.locale.value;
  const own = slice.duration > 0 ? ` (${shareText(slice.self / slice.duration, locale)})` : '';
  const facts: readonly (readonly [name: string, label: string, text: string, isLong?: boolean])[] = [
    ['duration', say('column.duration'), timeText(slice.duration, locale)],
    ['self', say('column.self'), `${timeText(slice.self, locale)}${own}`],
    ['start', say('lanes.start'), timeText(slice.start, locale)],
    ['category', say('timeline.category'), categoryText(state.board, slice.category)],
    ...(slice.step === null ? [] : [['step', say('step'), String(slice.step)] as const]),
    ['track', say('timeline.track'), trackText(state, slice.track), true],
    ...(['stream', 'grid', 'block', 'core'] as const).flatMap((name) =>
      slice.kernel?.[name] ? [[name, word(state.board, 'column', name), slice.kernel[name]] as const] : [],
    ),
    ...(slice.operator?.shapes
      ? [['shapes', word(state.board, 'column', 'shapes'), slice.operator.shapes, true] as const]
      : []),
  ];
  return (
    <dl class="row-facts">
      {facts.map(([name, label, text, isLong]) => (
        <div key={name} class={isLong ? 'long' : ''} data-fact={name}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Where else more is known of it. */
function Links({ state, slice }: SliceProps): JSX.Element | null {
  const { t: say } = state.page;
  const { board } = state;
  const has = (view: string): boolean => board.profiles.profile.value?.views.includes(view) === true;
  const operator = (
    action: string,
    text: string,
    { name, type, scope, shapes, side }: OperatorOfSlice,
  ): JSX.Element => (
    <button
      type="button"
      class="link"
      data-action={action}
      onClick={() =>
        board.navigation.openOperator(side, shapes ? 'shape' : 'name', {
          ...(name ? { name } : {}),
          ...(type ? { type } : {}),
          ...(scope ? { scope } : {}),
          ...(shapes ? { shapes } : {}),
        })
      }
    >
      {text}
    </button>
  );
  const { kernel } = slice;
  const launched = kernel?.operator ?? null;
  const links = [
    slice.operator && has('operators') && operator('to-operator', say('timeline.to_operator'), slice.operator),
    launched &&
      has('operators') &&
      operator('to-launcher', say('timeline.to_launcher', { name: launched.name ?? '' }), launched),
    kernel && has('kernels') && (
      <button
        type="button"
        class="link"
        data-action="to-kernel"
        onClick={() => board.navigation.go('kernels', { q: kernel.name ?? slice.name })}
      >
        {say('timeline.to_kernel')}
      </button>
    ),
    slice.step !== null && (
      <button
        type="button"
        class="link"
        data-action="to-step"
        onClick={() => board.navigation.chooseStep(slice.step ?? 0, false, true)}
      >
        {say('timeline.to_step', { step: String(slice.step) })}
      </button>
    ),
    <button
      key="find"
      type="button"
      class="link"
      data-action="find-same"
      onClick={() => (state.search.regex.set(false), state.search.text.set(slice.name))}
    >
      {say('timeline.find_same')}
    </button>,
  ].filter(Boolean);
  return <p class="timeline-links">{links}</p>;
}

function Parents({ state, slice }: SliceProps): JSX.Element {
  return (
    <section class="figure">
      <header>
        <h3>{state.page.t('timeline.parents')}</h3>
      </header>
      <ol class="bars" data-testid="slice-parents">
        {slice.parents.map(({ id, name }) => (
          <li key={id}>
            <button type="button" title={name} onClick={() => state.chooseId(id)}>
              <span class="name">{name || '—'}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Flows({ state, flows }: { readonly state: TimelineState; readonly flows: readonly Flow[] }): JSX.Element {
  const { t: say } = state.page;
  const locale = state.page.locale.value;
  return (
    <section class="figure">
      <header>
        <h3>{say('timeline.flows')}</h3>
        <Button
          action="arrows"
          text={say('timeline.arrows')}
          label={say('timeline.arrows.hint')}
          pressed={state.hasArrows.value}
          onPress={() => (state.hasArrows.value = !state.hasArrows.value)}
        />
      </header>
      <ol class="bars" data-testid="slice-flows">
        {flows.slice(0, MOST_FLOWS).map(({ direction, kind, slice }, i) => (
          <li key={i} data-direction={direction}>
            <button
              type="button"
              title={`${slice.name}\n${trackText(state, slice.track)}`}
              onClick={() => state.choose(slice)}
            >
              <span class="name">
                {direction === 'out' ? '→' : '←'} {slice.name || '—'}
              </span>
              <span class="number">{word(state.board, 'timeline.flow', kind)}</span>
              <span class="number">{timeText(slice.duration, locale)}</span>
            </button>
          </li>
        ))}
      </ol>
      {flows.length > MOST_FLOWS && <p class="hint">{say('panel.more', { count: flows.length - MOST_FLOWS })}</p>}
    </section>
  );
}

function Arguments({ state, slice }: SliceProps): JSX.Element | null {
  const entries = Object.entries(slice.arguments ?? {});
  if (entries.length === 0) return null;
  return (
    <section class="figure">
      <header>
        <h3>{state.page.t('timeline.arguments')}</h3>
      </header>
      <dl class="row-facts" data-testid="slice-arguments">
        {entries.map(([name, value]) => (
          <div key={name} class="long" data-argument={name}>
            <dt>{name}</dt>
            <dd>
              <pre>{typeof value === 'string' ? value : JSON.stringify(value)}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
