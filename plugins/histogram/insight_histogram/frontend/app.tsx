import { AttemptsChoice, Frame, TimeChoice } from '@insight-host/kit';
import { HistogramCard, HistogramTools, type HistogramBoard } from '@insight-host/kit/histograms';
import type { JSX } from 'preact';

export function App({ board }: { readonly board: HistogramBoard }): JSX.Element {
  return (
    <Frame
      board={board}
      name="histograms"
      tools={<Tools board={board} />}
      card={(card, place) => <HistogramCard board={board} card={card} place={place} />}
    />
  );
}

function Tools({ board }: { readonly board: HistogramBoard }): JSX.Element {
  return (
    <>
      {!board.compare.value && <TimeChoice board={board} setting={board.time} />}
      <HistogramTools board={board} />
      {board.hasRestarts.value && <AttemptsChoice board={board} setting={board.attempts} />}
    </>
  );
}
