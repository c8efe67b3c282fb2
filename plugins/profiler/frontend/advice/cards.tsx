/** What to change, ranked: one card for each change with what it saves and the way to its evidence. */
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import {
  type Advice,
  type AdviceAnswer,
  openPlace,
  placesOf,
  placeText,
  reasonText,
  savesText,
  shortSaves,
} from './texts';

interface Props {
  readonly board: ProfilerParts;
  readonly answer: AdviceAnswer;
  /** How many are shown; all without it. */
  readonly most?: number;
  /** Whether reasons and further evidence are in sight at first. */
  readonly isOpen: boolean;
}

/** The changes of an answer, the most valuable first. */
export function AdviceCards({ board, answer, most, isOpen }: Props): JSX.Element {
  return (
    <ol class="advice-cards">
      {answer.advice.slice(0, most).map((advice, i) => (
        <Card key={`${advice.rule} ${i}`} board={board} answer={answer} advice={advice} place={i + 1} isOpen={isOpen} />
      ))}
    </ol>
  );
}

interface CardProps extends Omit<Props, 'most'> {
  readonly advice: Advice;
  /** From 1. */
  readonly place: number;
}

function Card({ board, answer, advice, place, isOpen }: CardProps): JSX.Element {
  const { t: say } = board.page;
  const { rule, severity, saw, why, change, basis, assumes } = advice;
  const [first, ...others] = placesOf(board, advice);
  const title = answer.rules.find(({ id }) => id === rule)?.title;
  const saves = shortSaves(board, advice);
  const hasMore = why !== null || others.length > 0 || (saves !== null && assumes !== null);
  return (
    <li class={`figure ${severity}`} data-advice={rule}>
      <span class="rank" aria-hidden="true">
        {place}
      </span>
      <div class="told">
        <h3>{title ? reasonText(board, answer, title) : rule}</h3>
        <p class="saw">{reasonText(board, answer, saw)}</p>
        <p class="act">
          {first && (
            <button
              type="button"
              class="tool text"
              data-action="advice"
              title={first.text || placeText(board, first)}
              onClick={() => openPlace(board, first)}
            >
              {say('advice.open', { view: say(`view.${first.view}`) })}
            </button>
          )}
          {change && <span>{reasonText(board, answer, change)}</span>}
        </p>
        {hasMore && (
          <details open={isOpen}>
            <summary>{say('advice.more')}</summary>
            <dl>
              {why && (
                <>
                  <dt>{say('advice.why')}</dt>
                  <dd>{reasonText(board, answer, why)}</dd>
                </>
              )}
              {saves && assumes && (
                <>
                  <dt>{say('advice.assumes')}</dt>
                  <dd>{reasonText(board, answer, assumes)}</dd>
                </>
              )}
              {others.length > 0 && (
                <>
                  <dt>{say('advice.evidence')}</dt>
                  <dd class="places">
                    {others.map((other, i) => (
                      <button
                        key={i}
                        type="button"
                        class="link"
                        data-action="evidence"
                        title={other.text}
                        onClick={() => openPlace(board, other)}
                      >
                        {placeText(board, other)}
                      </button>
                    ))}
                  </dd>
                </>
              )}
            </dl>
          </details>
        )}
      </div>
      {saves && (
        <span
          class="saves"
          title={`${savesText(board, advice)}\n${say(`advice.basis.${basis ?? 'share'}`)}`}
          data-later={advice.later !== null}
        >
          <strong>{saves.share}</strong>
          <span class="note">{saves.note}</span>
        </span>
      )}
    </li>
  );
}
