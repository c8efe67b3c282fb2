import { Icon } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts, ViewProps } from '../board';
import type { ClusterAnswer } from '../answers/cluster';
import { shareText, timeText } from '../units';
import { Answered, useRanksAnswer } from '../use_answer';
import { categoryText, sentence } from '../words';
import { RankLinks } from './links';
import { Ranks, RankTable } from './ranks';
import { RankLines, RankMap } from './steps';
import { ReadingRanks } from '../reading_state';

const MOST_FAILED = 10; // profiles that are named one by one

const unreadOf = (others: ClusterAnswer['others']): number => others.filter(({ state }) => state === 'reading').length;

const arriving = ({ ranks, others }: ClusterAnswer) => ({ ranks, unread: unreadOf(others) });

/** The ranks of a run side by side: which of them holds the others up. */
export default function Cluster({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const asked = useRanksAnswer<ClusterAnswer>(
    board,
    'cluster',
    { steps: board.stepsQuery.value },
    ({ others }) => unreadOf(others) > 0,
  );
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            <Others board={board} answer={answer} />
            <Stragglers board={board} answer={answer} />
            {answer.ranks.length > 0 && <RankMap {...arriving(answer)} board={board} />}
            {answer.ranks.length > 0 && <Ranks board={board} ranks={answer.ranks} />}
            {answer.ranks.length > 0 && <RankLines {...arriving(answer)} board={board} />}
            {answer.ranks.length > 0 && <RankLinks {...arriving(answer)} board={board} />}
            {answer.ranks.length > 0 && <RankTable board={board} ranks={answer.ranks} title={say('cluster.table')} />}
          </>
        )}
      </Answered>
    </div>
  );
}

interface AnswerProps {
  readonly board: ProfilerParts;
  readonly answer: ClusterAnswer;
}

/** Ranks that are not here yet, or never will be, and profiles that are not compared. */
function Others({ board, answer: { others, ranks, same_ranks: same, read, total } }: AnswerProps): JSX.Element | null {
  const { t: say } = board.page;
  const failed = others.filter(({ state }) => state === 'failed');
  return (
    <>
      <ReadingRanks board={board} progress={{ shown: ranks.length, unread: unreadOf(others), read, total }} />
      {failed.slice(0, MOST_FAILED).map(({ profile, failure }) => (
        <p key={profile} class="problem">
          {failure?.values['file'] === profile ? '' : `${profile}: `}
          {failure && sentence(board, 'failure', failure)}
        </p>
      ))}
      {failed.length > MOST_FAILED && (
        <p class="problem">{say('cluster.failed.more', { count: failed.length - MOST_FAILED })}</p>
      )}
      {same.slice(0, MOST_FAILED).map(({ profile, rank, used }) => (
        <p key={profile} class="problem" data-same-rank={rank}>
          {say('cluster.same_rank', { profile, rank, used })}
        </p>
      ))}
      {same.length > MOST_FAILED && (
        <p class="problem">{say('cluster.same_rank.more', { count: same.length - MOST_FAILED })}</p>
      )}
    </>
  );
}

const LEAST_STEPS = 3; // for a verdict

/** Why no straggler is named. */
function verdictOf({
  ranks,
  others,
  missing,
}: ClusterAnswer): 'alone' | 'alone.so_far' | 'few' | 'even' | 'even.so_far' | 'even.partial' {
  const areAllRead = unreadOf(others) === 0;
  if (ranks.length < 2) return areAllRead ? 'alone' : 'alone.so_far';
  if (ranks.every(({ steps }) => (steps?.count ?? 0) < LEAST_STEPS)) return 'few';
  if (!areAllRead) return 'even.so_far';
  return missing > 0 ? 'even.partial' : 'even';
}

function Stragglers({ board, answer }: AnswerProps): JSX.Element {
  const { stragglers, warm_up: left } = answer;
  const verdict = verdictOf(answer);
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  return (
    <section class="figure advice" aria-label={say('cluster.stragglers')}>
      <header>
        <h3 title={say('cluster.stragglers.hint')}>{say('cluster.stragglers')}</h3>
      </header>
      <ul>
        {stragglers.map(({ rank, stage, time, work, usual, wait, usual_wait: others, steps, since }) => (
          <li key={rank} class="warning" data-straggler={rank}>
            <Icon name="warn" />
            <span>
              {[
                since === null ? '' : say('cluster.straggler.since', { step: since }),
                say(stage === null ? 'cluster.straggler' : 'cluster.straggler.stage', {
                  rank,
                  stage: String(stage),
                  name: categoryText(board, time),
                  work: timeText(work, locale),
                  usual: timeText(usual, locale),
                  more: shareText(usual > 0 ? work / usual - 1 : 0, locale),
                  count: steps,
                }),
                wait !== null && others !== null && others > wait
                  ? say('cluster.straggler.waits', { wait: timeText(wait, locale), usual: timeText(others, locale) })
                  : '',
              ]
                .join(' ')
                .trim()}
            </span>
          </li>
        ))}
        {stragglers.length === 0 && (
          <li class="info">
            <Icon name={verdict === 'even' ? 'check' : 'info'} />
            <span>
              {say(`cluster.${verdict}`, { shown: answer.ranks.length, count: answer.ranks.length + answer.missing })}
            </span>
          </li>
        )}
        {left.length > 0 && (
          <li class="info" data-testid="warm-up">
            <Icon name="info" />
            <span>
              {say('cluster.warm_up', {
                count: left.length,
                steps: left.length > 1 ? `${left[0]}–${left.at(-1)}` : String(left[0]),
              })}
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}
