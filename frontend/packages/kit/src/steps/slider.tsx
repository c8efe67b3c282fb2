import {
  cardId,
  sameCard,
  type CardKey,
  Select,
  Button,
  exactAt,
  type Page,
  durationText,
  timeText,
  said,
  type XKind,
  Choice,
  onCard,
  type Key,
  type Setting,
} from '@insight-host/kit/lab';
import type { Locale } from '@insight-host/api';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Records } from './records';
import { SPEEDS, type StepParts } from './parts';
import { indexAfter, restartsIn } from './positions';

/** The position of a card's slider, and the callbacks that move it. */
export interface CardSteps {
  /** null until the first answer. */
  readonly records: Records | null;
  /** The error, if the list of records could not be loaded. */
  readonly error: string | null;
  /** Index of the shown record; -1 without records. */
  readonly index: number;
  /** The step that all sliders are set to, where this card has none: the shown one is the nearest. */
  readonly missed?: number | null;
  move(index: number): void;
  retry(): void;
}

/** Holds the records of a card while the component is there. */
export function useSteps(board: Pick<StepParts, 'tables' | 'stands'>, card: CardKey): CardSteps {
  const id = cardId(card);
  const table = useMemo(() => board.tables.of(card), [board, id]);
  useEffect(() => board.tables.hold(card), [board, id]);
  const { value: records } = table.records;
  return {
    records,
    error: table.error.value,
    index: records ? board.stands.indexOf(card, records) : -1,
    missed: records && board.stands.missedBy(card, records),
    move: (index) => records && board.stands.move(card, records, index),
    retry: () => board.tables.retry(card),
  };
}

/** A record by step, by time since the first, or by date. */
export function timeLabel(
  records: Records,
  index: number,
  kind: XKind,
  locale: Locale,
  t: (key: string, values?: Readonly<Record<string, string | number>>) => string,
): string {
  const wall = records.wallTimes[index] ?? NaN;
  if (kind === 'wall') return timeText(wall, locale);
  if (kind === 'relative') return durationText(wall - (records.wallTimes[0] ?? NaN), locale, 4);
  return t('time.step', { step: said(exactAt(records.steps, index), locale) });
}

/** What the slider does not say of the records: how many were not kept, and how many a restart hides. */
export function recordNotes({ t }: Page, records: Records): readonly string[] {
  const { points, kept, purged = 0 } = records;
  const hidden = records.hidden - purged;
  return [
    ...(kept < points ? [t('steps.kept', { kept, count: points })] : []),
    ...(hidden > 0 ? [t('steps.hidden', { hidden })] : []),
    ...(purged > 0 ? [t('steps.purged', { purged })] : []),
  ];
}

const TICKS = 60; // records up to which each has a mark
const RESTARTS = 50;

export interface StepSliderProps {
  readonly board: Pick<StepParts, 'page' | 'time' | 'playback'>;
  readonly card: CardKey;
  readonly steps: CardSteps;
  /** What is shown is not yet what the slider says: playing waits for it. */
  readonly busy?: boolean;
  /** How records are named; as the board says by default. */
  readonly kind?: XKind;
}

/** A slider over the records of a card: arrows, Page Up and Down, Home, End; Space plays. */
export function StepSlider({
  board,
  card,
  steps,
  busy = false,
  kind = board.time.value,
}: StepSliderProps): JSX.Element {
  const { records, index, missed = null } = steps;
  const { t: say } = board.page;
  const count = records?.steps.length ?? 0;
  const playing = sameCard(board.playback.playing.value, card);
  usePlaying(board, steps, count, playing, busy);
  const restarts = useMemo(() => (records ? restartsIn(records.steps).slice(0, RESTARTS) : []), [records]);
  const time = records && index >= 0 ? timeLabel(records, index, kind, board.page.locale.value, say) : '\u00a0';
  const label = missed === null ? time : say('steps.nearest', { time, step: missed });
  const isOne = records !== null && count < 2; // nothing to choose from, for now
  const go = (to: number): void => {
    if (playing) board.playback.stop();
    steps.move(to);
  };
  return (
    <div
      class="step-slider"
      data-testid="step-slider"
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const isButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLSelectElement;
        const to = isButton ? null : indexAfter(event.key, index, count);
        if (to !== null) go(to);
        else if (event.key === ' ' && !isButton && count > 1) board.playback.toggle(card);
        else return;
        event.preventDefault();
      }}
    >
      {!isOne && <Track {...{ board, card, index, count, playing, restarts, label, go }} />}
      <div class="step-label">
        <span class="at" data-testid="step-label">
          {label}
        </span>
        {playing && <Speed board={board} />}
        <span class="count" data-testid="step-count">
          {count > 1 ? say('steps.of', { index: index + 1, count }) : ''}
        </span>
      </div>
    </div>
  );
}

interface TrackProps extends Pick<StepSliderProps, 'board' | 'card'> {
  readonly index: number;
  readonly count: number;
  readonly playing: boolean;
  /** Indices of records with which writing began again. */
  readonly restarts: readonly number[];
  readonly label: string;
  readonly go: (to: number) => void;
}

/** The buttons and the slider. */
function Track({ board, card, index, count, playing, restarts, label, go }: TrackProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <div class="step-track">
      <Button
        action="step-back"
        icon="previous"
        label={say('steps.previous')}
        disabled={index <= 0}
        onPress={() => go(index - 1)}
      />
      <Button
        action="play"
        icon={playing ? 'pause' : 'play'}
        label={say(playing ? 'steps.pause' : 'steps.play')}
        pressed={playing}
        disabled={count < 2}
        onPress={() => board.playback.toggle(card)}
      />
      <Button
        action="step-forward"
        icon="next"
        label={say('steps.next')}
        disabled={index >= count - 1}
        onPress={() => go(index + 1)}
      />
      <span class="step-range">
        {count > 1 && count <= TICKS && (
          <i class="ticks" style={{ backgroundSize: `calc((100% - 1px) / ${count - 1}) 100%` }} />
        )}
        {restarts.map((at) => (
          <i
            key={at}
            class="restart"
            title={say('steps.restart')}
            style={{ left: `calc(7px + (100% - 14px) * ${at / (count - 1)})` }}
          />
        ))}
        <input
          type="range"
          min="0"
          max={Math.max(0, count - 1)}
          step="1"
          disabled={count < 2}
          data-control="step"
          aria-label={say('steps.slider')}
          aria-valuetext={label}
          value={Math.max(0, index)}
          onInput={(e) => go(Number(e.currentTarget.value))}
        />
      </span>
    </div>
  );
}

function Speed({ board }: Pick<StepSliderProps, 'board'>): JSX.Element {
  const label = board.page.t('steps.speed');
  return (
    <Select
      name="speed"
      label={label}
      value={board.playback.speed.value}
      options={SPEEDS.map((value) => ({ value, text: board.page.t('steps.per_second', { speed: value }) }))}
      onPick={(speed) => board.playback.setSpeed(speed)}
    />
  );
}

/** Moves on at the board's speed, but never before what is asked for is on the screen. */
function usePlaying(
  { page, playback }: StepSliderProps['board'],
  steps: CardSteps,
  count: number,
  playing: boolean,
  busy: boolean,
): void {
  const latest = useRef({ steps, count, busy });
  latest.current = { steps, count, busy };
  const speed = playback.speed.value;
  const visible = page.visible.value;
  useEffect(() => {
    if (!playing) return;
    if (!visible) {
      playback.stop();
      return;
    }
    if (latest.current.steps.index >= latest.current.count - 1) latest.current.steps.move(0);
    let frame = 0;
    const moveOn = (): void => {
      frame = 0;
      const now = latest.current;
      if (now.busy) return;
      if (now.steps.index >= now.count - 1) playback.stop();
      else now.steps.move(now.steps.index + 1);
    };
    // Two frames on, what is shown now has been painted, however busy the page is.
    const timer = setInterval(() => {
      if (!latest.current.busy && !frame) frame = requestAnimationFrame(() => (frame = requestAnimationFrame(moveOn)));
    }, 1000 / speed);
    return () => {
      clearInterval(timer);
      cancelAnimationFrame(frame);
    };
  }, [playing, speed, visible]);
  useEffect(
    () => () => {
      if (playing) playback.stop(); // the card left the screen
    },
    [playing],
  );
}

const KINDS: readonly XKind[] = ['step', 'relative', 'wall'];

/** The toolbar's choice of step, relative or absolute time. */
export function TimeChoice({ page, setting }: { readonly page: Page; readonly setting: Setting<XKind> }): JSX.Element {
  return (
    <Choice say={page.t} name="time" label={page.t('time.label')} words="time.kind" values={KINDS} setting={setting} />
  );
}

/** The toolbar's button that makes all sliders stand at one step. */
export function LinkSteps({ board }: { readonly board: Pick<StepParts, 'page' | 'cards' | 'stands'> }): JSX.Element {
  const linked = board.stands.linked.value;
  return (
    <Button
      action="link"
      icon="link"
      text={board.page.t('steps.link')}
      label={board.page.t('steps.link.hint')}
      pressed={linked}
      onPress={() => board.stands.link(!linked, board.cards.current.value)}
    />
  );
}

/** Keys of sliders: they act on the card under the pointer. */
export function stepKeys(board: StepParts): readonly Key[] {
  const by = (way: number): (() => void) =>
    onCard(board, (card) => {
      const records = board.tables.of(card).records.value;
      if (!records || records.steps.length === 0) return;
      const to = Math.max(0, Math.min(records.steps.length - 1, board.stands.indexOf(card, records) + way));
      board.playback.stop();
      board.stands.move(card, records, to);
    });
  return [
    ['ArrowLeft', 'steps.previous', by(-1)],
    ['ArrowRight', 'steps.next', by(1)],
    ['p', 'steps.play', onCard(board, (card) => board.playback.toggle(card))],
  ];
}
