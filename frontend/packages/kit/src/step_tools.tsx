import type { JSX } from 'preact';
import type { Board, TagInfo } from './board';
import { Button, Segments } from './controls';
import { onCard, type Key } from './keys';
import type { StepBoard } from './step_board';
import type { XKind } from '@insight-host/kit/draw';
import type { Setting } from './page';

const KINDS: readonly XKind[] = ['step', 'relative', 'wall'];

/** The toolbar's choice of step, relative or absolute time. */
export function TimeChoice<Info extends TagInfo>({
  board,
  setting,
}: {
  readonly board: Board<Info>;
  readonly setting: Setting<XKind>;
}): JSX.Element {
  return (
    <Segments
      name="time"
      label={board.t('time.label')}
      value={setting.value}
      options={KINDS.map((value) => ({ value, text: board.t(`time.kind.${value}`) }))}
      onPick={(value) => setting.set(value)}
    />
  );
}

/** The toolbar's choice of what a restart hides; show it where there are restarts. */
export function AttemptsChoice<Info extends TagInfo>({
  board,
  setting,
}: {
  readonly board: Board<Info>;
  readonly setting: Setting<'last' | 'all'>;
}): JSX.Element {
  const options = (['last', 'all'] as const).map((value) => ({
    value,
    text: board.t(`attempts.${value}`),
    title: board.t(`attempts.${value}.hint`),
  }));
  return (
    <Segments
      name="attempts"
      label={board.t('attempts.label')}
      value={setting.value}
      options={options}
      onPick={(value) => setting.set(value)}
    />
  );
}

/** The toolbar's button that makes all sliders stand at one step. */
export function LinkSteps<Info extends TagInfo>({ board }: { readonly board: StepBoard<Info> }): JSX.Element {
  const linked = board.linked.value;
  return (
    <Button
      action="link"
      icon="link"
      text={board.t('steps.link')}
      label={board.t('steps.link.hint')}
      pressed={linked}
      onPress={() => board.link(!linked)}
    />
  );
}

/** Keys of sliders: they act on the card under the pointer. */
export function stepKeys<Info extends TagInfo>(board: StepBoard<Info>): readonly Key[] {
  const by = (way: number): (() => void) =>
    onCard(board, (card) => {
      const records = board.tables.of(card).records.value;
      if (!records || records.steps.length === 0) return;
      const to = Math.max(0, Math.min(records.steps.length - 1, board.indexOf(card, records) + way));
      board.playing.value = null;
      board.move(card, records, to);
    });
  return [
    ['ArrowLeft', 'steps.previous', by(-1)],
    ['ArrowRight', 'steps.next', by(1)],
    ['p', 'steps.play', onCard(board, (card) => board.play(card))],
  ];
}
