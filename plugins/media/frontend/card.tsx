import { bytesText, cardId, CardHead, Download, problemOf, useCardAnswer, type ContentOfCard } from '@insight-host/kit';
import { recordNotes, StepSlider, useSteps } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import { Body } from './body';
import type { MediaParts } from './board';
import { contentHref, itemOf } from './item';

/** Shows one tag of one run at a step. */
export function MediaCard({ board, card, place }: ContentOfCard<MediaParts>): JSX.Element {
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
