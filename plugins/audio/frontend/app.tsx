import { AttemptsChoice, Frame, LinkSteps, TimeChoice, Toggle } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { AudioParts } from './board';
import { AudioCard } from './card';

interface AppProps {
  readonly board: AudioParts;
}

export function App({ board }: AppProps): JSX.Element {
  return (
    <Frame
      board={board}
      name="sounds"
      tools={<Tools board={board} />}
      card={(card, place) => <AudioCard board={board} card={card} place={place} />}
    />
  );
}

function Tools({ board }: AppProps): JSX.Element {
  return (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      <Toggle
        action="loop"
        icon="reset"
        text={board.page.t('loop')}
        label={board.page.t('loop.hint')}
        setting={board.loop}
      />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
}
