import { AttemptsChoice, boardKeys, cardStyles, Choice, Frame, NumberBox, tab, Toggle } from '@insight-host/kit';
import {
  HistogramCard,
  HistogramDisplay,
  histogramMessages,
  histogramStyles,
  HistogramTools,
} from '@insight-host/kit/histograms';
import { LinkSteps, stepKeys, stepMessages, stepStyles, TimeChoice } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import en from '../insight_tensor/locales/en.json';
import zh from '../insight_tensor/locales/zh-CN.json';
import { SHOWS, tensorParts, turnShow, type TensorParts } from './board';
import { MOST_DIGITS } from './numbers';
import { TableBody } from './table';
import styles from './tensors.css?inline';

export default tab({
  messages: {
    en: { ...stepMessages.en, ...histogramMessages.en, ...en },
    'zh-CN': { ...stepMessages['zh-CN'], ...histogramMessages['zh-CN'], ...zh },
  },
  styles: cardStyles + stepStyles + histogramStyles + styles,
  board: (page) => tensorParts(page),
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['v', 'histogram.view.next', () => turnShow(board)],
    ['h', 'keys.show', () => board.show.set(board.show.value === 'table' ? 'histogram' : 'table')],
    ...stepKeys(board),
    ...boardKeys(board, host),
  ],
});

function App({ board }: { readonly board: TensorParts }): JSX.Element {
  const isTable = board.show.value === 'table';
  return (
    <Frame
      board={board}
      name="tensors"
      look={isTable ? '' : 'distributions'}
      tools={<Tools board={board} />}
      display={<Display board={board} />}
      card={(card, place) =>
        isTable ? (
          <TableBody board={board} card={card} place={place} />
        ) : (
          <HistogramCard board={board} card={card} place={place} />
        )
      }
    />
  );
}

function Tools({ board }: { readonly board: TensorParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      <Choice say={say} name="show" label={say('show')} values={SHOWS} setting={board.show} />
      {!board.perTag.value && <TimeChoice page={board.page} setting={board.time} />}
      {board.show.value === 'table' ? <LinkSteps board={board} /> : <HistogramTools board={board} />}
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
}

function Display({ board }: { readonly board: TensorParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      {board.show.value === 'table' ? <TableDisplay board={board} /> : <HistogramDisplay board={board} />}
      <Toggle action="others" text={say('others')} label={say('others.hint')} setting={board.others} />
    </>
  );
}

function TableDisplay({ board }: { readonly board: TensorParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      <Choice
        say={say}
        name="notation"
        label={say('notation')}
        values={['fixed', 'scientific']}
        setting={board.notation}
      />
      <label class="range" title={say('digits.hint')}>
        <span>{say('digits')}</span>
        <NumberBox
          name="digits"
          label={say('digits.hint')}
          value={board.digits.value}
          low={0}
          high={MOST_DIGITS}
          live
          onPick={(value) => board.digits.set(value)}
        />
      </label>
      <Toggle action="heat" text={say('heat')} label={say('heat.hint')} setting={board.heat} />
    </>
  );
}
