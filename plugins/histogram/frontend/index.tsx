import { AttemptsChoice, boardKeys, cardStyles, Frame, tab, type Key } from '@insight-host/kit';
import {
  HistogramCard,
  HistogramDisplay,
  histogramMessages,
  histogramParts,
  histogramStyles,
  HistogramTools,
  turnView,
  type HistogramParts,
} from '@insight-host/kit/histograms';
import { stepKeys, stepMessages, stepStyles, TimeChoice } from '@insight-host/kit/steps';
import { tableStyles } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import en from '../insight_histogram/locales/en.json';
import zh from '../insight_histogram/locales/zh-CN.json';
import styles from './histograms.css?inline';

export default tab({
  messages: {
    en: { ...stepMessages.en, ...histogramMessages.en, ...en },
    'zh-CN': { ...stepMessages['zh-CN'], ...histogramMessages['zh-CN'], ...zh },
  },
  styles: cardStyles + stepStyles + histogramStyles + tableStyles + styles,
  board: (page) => histogramParts(page),
  view: (board) => <App board={board} />,
  keys,
});

function App({ board }: { readonly board: HistogramParts }): JSX.Element {
  return (
    <Frame
      board={board}
      name="histograms"
      tools={<Tools board={board} />}
      display={<HistogramDisplay board={board} />}
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

function keys(board: HistogramParts, host: HTMLElement): readonly Key[] {
  return [
    ['v', 'histogram.view.next', () => turnView(board.histograms)],
    ['c', 'histogram.compare.hint', () => board.histograms.compare.set(!board.histograms.compare.value, 'push')],
    ...stepKeys(board),
    ...boardKeys(board, host),
  ];
}
