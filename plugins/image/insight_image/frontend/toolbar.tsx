import { AttemptsChoice, Button, LinkSteps, Range, TimeChoice } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ImageBoard } from './board';
import { MOST_LIGHT } from './light';

export function Tools({ board }: { readonly board: ImageBoard }): JSX.Element {
  const say = board.t;
  return (
    <>
      <TimeChoice board={board} setting={board.time} />
      <Range
        name="brightness"
        label={say('brightness')}
        hint={say('brightness.hint')}
        setting={board.brightness}
        low={0}
        high={MOST_LIGHT}
        step={1}
        digits={0}
      />
      <Range
        name="contrast"
        label={say('contrast')}
        hint={say('contrast.hint')}
        setting={board.contrast}
        low={0}
        high={MOST_LIGHT}
        step={1}
        digits={0}
      />
      <Button
        action="light-reset-all"
        icon="reset"
        label={say('light.reset')}
        disabled={board.plain.value}
        onPress={() => board.resetLights()}
      />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice board={board} setting={board.attempts} />}
    </>
  );
}
