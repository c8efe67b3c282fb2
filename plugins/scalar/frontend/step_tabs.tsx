import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ScalarParts } from './board';

export interface StepTabsProps {
  readonly board: ScalarParts;
  /** Of the card. */
  readonly tag: string;
  readonly step: number | bigint | null;
}

/** What can be done at a step: a note, and the tabs that can show it, whatever plugins they are of. */
export function StepTabs({ board, tag, step }: StepTabsProps): JSX.Element | null {
  const { value: tabs } = board.stepTabs;
  if (step === null) return null;
  const { t: say, locale } = board.page;
  const at = step.toLocaleString(locale.value);
  return (
    <div class="step-tabs" role="group" aria-label={say('at.step', { step: at })}>
      <span>{say('at.step', { step: at })}</span>
      {tabs.map(({ plugin, title }) => (
        <Button
          key={plugin}
          action={`open-${plugin}`}
          text={title}
          label={say('at.step.open', { tab: title, step: at })}
          onPress={() => void board.page.ctx.openStep(plugin, Number(step))}
        />
      ))}
      <Button
        action="note-here"
        text={say('notes.here')}
        label={say('notes.here')}
        onPress={() => (board.dialog.value = { kind: 'notes', tag })}
      />
    </div>
  );
}
