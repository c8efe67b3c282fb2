import { AttemptsChoice, Frame, Toggle } from '@insight-host/kit';
import { LinkSteps, TimeChoice } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import type { AudioParts } from './board';
import { AudioCard } from './card';

export function App({ board }: { readonly board: AudioParts }): JSX.Element {
  const { t: say } = board.page;
  const tools = (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      <Toggle action="loop" icon="reset" text={say('loop')} label={say('loop.hint')} setting={board.loop} />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
  return (
    <Frame
      board={board}
      name="sounds"
      tools={tools}
      card={(card, place) => <AudioCard board={board} card={card} place={place} />}
    />
  );
}
