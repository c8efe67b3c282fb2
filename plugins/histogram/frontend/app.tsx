import { AttemptsChoice, Frame } from '@insight-host/kit';
import { TimeChoice } from '@insight-host/kit/steps';
import { HistogramCard, HistogramTools, type HistogramParts } from '@insight-host/kit/histograms';
import type { JSX } from 'preact';

export function App({ board }: { readonly board: HistogramParts }): JSX.Element {
  return (
    <Frame
      board={board}
      name="histograms"
      tools={<Tools board={board} />}
      card={(card, place) => <HistogramCard board={board} card={card} place={place} />}
    />
  );
}

function Tools({ board }: { readonly board: HistogramParts }): JSX.Element {
  return (
    <>
      {!board.histograms.compare.value && <TimeChoice page={board.page} setting={board.time} />}
      <HistogramTools board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
}
