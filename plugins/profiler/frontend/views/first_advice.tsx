import { Icon } from '@insight-host/kit';
import type { JSX } from 'preact';
import { openPlace, reasonText, savesText } from '../advice_texts';
import type { AdviceAnswer } from '../answers/advice';
import type { ProfilerParts } from '../board';
import { useProfileAnswer } from '../use_answer';

const MOST_ADVICE = 4;

/** What to change first, and the way to the rest. */
export function FirstAdvice({ board }: { readonly board: ProfilerParts }): JSX.Element | null {
  const { t: say } = board.page;
  const { value: answer } = useProfileAnswer<AdviceAnswer>(board, 'advice', { ranks: 'known' });
  if (!answer || answer.rules.length === 0) return null;
  const checked = answer.rules.filter(({ state }) => state !== 'unchecked').length;
  const first = answer.advice.slice(0, MOST_ADVICE);
  return (
    <section class="figure advice" aria-label={say('advice.title')}>
      <header>
        <h3>{say('advice.title')}</h3>
        <button
          type="button"
          class="link"
          data-action="all-advice"
          onClick={() => board.navigation.wanted.set('advice', 'push')}
        >
          {say('advice.all', { count: answer.advice.length })}
        </button>
      </header>
      {first.length === 0 && <p class="hint">{say('advice.nothing', { rules: checked })}</p>}
      <ul>
        {first.map((advice, i) => (
          <li key={`${advice.rule}-${i}`} class={advice.severity} data-advice={advice.rule}>
            <Icon name={advice.severity === 'info' ? 'info' : 'warn'} />
            <span>
              {[reasonText(board, answer, advice.saw), savesText(board, advice)].filter(Boolean).join(' · ')}{' '}
              {advice.places.slice(0, 1).map((place) => (
                <button
                  key={place.view}
                  type="button"
                  class="link"
                  data-action="advice"
                  title={place.text}
                  onClick={() => openPlace(board, place)}
                >
                  {say(`view.${place.view}`)}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {answer.ranks.unread > 0 && (
        <p class="hint" data-testid="unread-ranks">
          {say('advice.ranks', { count: answer.ranks.unread })}
        </p>
      )}
    </section>
  );
}
