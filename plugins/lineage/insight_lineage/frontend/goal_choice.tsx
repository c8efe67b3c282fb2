import { Segments, type Setting } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { Goal } from './answers';
import type { GOALS, LineageParts } from './board';

interface GoalChoiceProps {
  readonly board: LineageParts;
  readonly name: string;
  readonly setting: Setting<(typeof GOALS)[number]>;
  /** The one that counts now. */
  readonly goal: Goal;
}

/** Whether small or large values of a target are better. */
export function GoalChoice({ board, name, setting, goal }: GoalChoiceProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <Segments
      name={name}
      label={say('goal')}
      value={goal}
      options={[
        { value: 'min', text: say('goal.min') },
        { value: 'max', text: say('goal.max') },
      ]}
      onPick={(picked: Goal) => setting.set(picked)}
    />
  );
}
