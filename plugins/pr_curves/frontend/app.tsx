import { AttemptsChoice, Choice, Frame, Range } from '@insight-host/kit';
import { LinkSteps } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import { VIEWS, type PrParts } from './board';
import { CurveCard } from './card';

export function App({ board }: { readonly board: PrParts }): JSX.Element {
  const { t: say } = board.page;
  const tools = (
    <>
      <Choice say={say} name="view" label={say('view')} values={VIEWS} setting={board.view} />
      <Range
        name="threshold"
        label={say('threshold')}
        hint={say('threshold.hint')}
        setting={board.threshold}
        low={0}
        high={1}
        step={0.001}
        numberStep={0.01}
      />
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
  return (
    <Frame
      board={board}
      name="pr-curves"
      tools={tools}
      card={(card, place) => <CurveCard board={board} card={card} place={place} />}
    />
  );
}
