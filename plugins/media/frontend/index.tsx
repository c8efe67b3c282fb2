import {
  AttemptsChoice,
  boardKeys,
  bytesText,
  CardHead,
  cardId,
  cardStyles,
  Choice,
  Download,
  Frame,
  problemOf,
  tab,
  useCardAnswer,
  type ContentOfCard,
} from '@insight-host/kit';
import { markdownStyles } from '@insight-host/kit/markdown';
import {
  LinkSteps,
  recordNotes,
  stepKeys,
  stepMessages,
  StepSlider,
  stepStyles,
  TimeChoice,
  useSteps,
} from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import en from '../insight_media/locales/en.json';
import zh from '../insight_media/locales/zh-CN.json';
import { contentHref, itemOf, mediaParts, SHARES, type MediaParts } from './board';
import { Body } from './bodies/body';
import styles from './media.css?inline';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + markdownStyles + styles,
  board: mediaParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [...stepKeys(board), ...boardKeys(board, host)],
});

function App({ board }: { readonly board: MediaParts }): JSX.Element {
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

/** Shows one tag of one run at a step. */
function MediaCard({ board, card, place }: ContentOfCard<MediaParts>): JSX.Element {
  const steps = useSteps(board, card);
  const { records, index } = steps;
  const { t: say } = board.page;
  const there = records !== null && index >= 0;
  const key = there ? JSON.stringify([cardId(card), records.attempts, index, records.steps[index]]) : null;
  const time = there ? records.wallTimes[index] : null;
  const answer = useCardAnswer(board, card, place, key && `${key} ${time}`, (signal) =>
    itemOf(board, card, records as NonNullable<typeof records>, index, signal),
  );
  const item = answer.value;
  return (
    <>
      <CardHead board={board} card={card}>
        {there && <Download label={say('download')} href={contentHref(board, card, records, index, { download: 1 })} />}
      </CardHead>
      <div class={answer.busy ? 'view busy' : 'view'} data-kind={item?.kind} data-step={records?.steps[index]}>
        {problemOf(board.page, card, steps, answer) ??
          (item && records && (
            <Body
              board={board}
              card={card}
              item={item}
              source={(more) => contentHref(board, card, records, index, more)}
              isFresh={answer.isFresh}
            />
          ))}
      </div>
      <StepSlider board={board} card={card} steps={steps} busy={answer.busy} />
      <footer data-testid="card-status">
        <span class="counts">
          {item && !answer.error && records
            ? [
                say(`kind.${item.kind}`),
                bytesText(item.size, board.page.locale.value),
                ...recordNotes(board.page, records),
              ].join(' · ')
            : ''}
        </span>
      </footer>
    </>
  );
}
