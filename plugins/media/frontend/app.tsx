import { AttemptsChoice, Choice, Frame } from '@insight-host/kit';
import { LinkSteps, TimeChoice } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import { SHARES, type MediaParts } from './board';
import { MediaCard } from './card';

export function App({ board }: { readonly board: MediaParts }): JSX.Element {
  const { t: say } = board.page;
  const tools = (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      {board.hasMatrices.value && (
        <Choice say={say} name="share" label={say('share')} values={SHARES} setting={board.share} />
      )}
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
  return (
    <Frame
      board={board}
      name="media"
      tools={tools}
      card={(card, place) => <MediaCard board={board} card={card} place={place} />}
    />
  );
}
