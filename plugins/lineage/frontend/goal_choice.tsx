import { Segments, type Setting } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { Column, Goal } from '@insight-host/kit/runs';
import type { GOALS, LineageParts } from './board';

interface GoalChoiceProps {
  readonly board: LineageParts;
  readonly name: string;
  readonly setting: Setting<(typeof GOALS)[number]>;
  /** The one that counts now; null if nobody said it. */
  readonly goal: Goal | null;
}

/** Whether small or large values of a target are better: as chosen, else as its name or the logs say. */
export const goalOf = ({ value }: { readonly value: (typeof GOALS)[number] }, target: Column | null): Goal | null =>
  value === 'auto' ? (target?.goal ?? null) : value;

/** Chooses it. */
export function GoalChoice({ board, name, setting, goal }: GoalChoiceProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      <Segments<Goal | 'auto'>
        name={name}
        label={say('goal')}
        value={goal ?? 'auto'}
        options={[
          { value: 'min', text: say('goal.min') },
          { value: 'max', text: say('goal.max') },
        ]}
        onPick={(picked) => setting.set(picked)}
      />
      {goal === null && (
        <p class="hint" data-testid={`${name}-unknown`}>
          {say('goal.unknown')}
        </p>
      )}
    </>
  );
}
