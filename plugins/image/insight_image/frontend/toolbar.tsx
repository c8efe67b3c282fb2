import { AttemptsChoice, Button, LinkSteps, Range, TimeChoice } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ImageParts } from './board';
import { MOST_LIGHT } from './light';

export function Tools({ board }: { readonly board: ImageParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      <Range
        name="brightness"
        label={say('brightness')}
        hint={say('brightness.hint')}
        setting={board.lights.brightness}
        low={0}
        high={MOST_LIGHT}
        step={1}
        digits={0}
      />
      <Range
        name="contrast"
        label={say('contrast')}
        hint={say('contrast.hint')}
        setting={board.lights.contrast}
        low={0}
        high={MOST_LIGHT}
        step={1}
        digits={0}
      />
      <Button
        action="light-reset-all"
        icon="reset"
        label={say('light.reset')}
        disabled={board.lights.isPlain.value}
        onPress={() => board.lights.reset()}
      />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
}
