import { Choice, Button, onCard, type Key, type Page, type Setting, type XKind } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import type { StepParts } from './parts';

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
