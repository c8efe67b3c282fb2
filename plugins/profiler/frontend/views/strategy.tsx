import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { StrategyAnswer } from '../answers/strategy';
import { Figure } from '../figures/figure';
import { operatorKey, StrategyDrawing } from '../strategy/drawing';
import { StrategyPanel } from '../strategy/panel';
import { ChangeTable, OperatorTable, ParameterTable } from '../strategy/tables';
import { useAnswer } from '../use_answer';
import type { ViewProps } from '../views';
import { sentence } from '../words';
import { Answered } from './state';

const POLL = 1000; // ms, while the ranks of other stages are being read

/** How a model is spread over devices: the operators of each stage, and how their tensors are cut. */
export default function Strategy({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const round = useSignal(0);
  const query = board.profiles.query.value;
  const profile = board.profiles.profile.value;
  const asked = useAnswer<StrategyAnswer>(
    board,
    profile === null || profile.state === 'failed'
      ? null
      : JSON.stringify([query, round.value, profile.version, profile.complete]),
    (signal) => board.page.ctx.data.json<StrategyAnswer>('strategy', query, { signal }),
  );
  const isReading = asked.value?.others.some(({ state }) => state === 'reading') === true;
  useEffect(() => {
    if (!isReading || asked.busy || !board.page.visible.value) return;
    const timer = setTimeout(() => round.value++, POLL);
    return () => clearTimeout(timer);
  }, [isReading, asked.busy, round.value, board.page.visible.value]);
  return (
    <div class="split">
      <div class="scroll">
        <Answered board={board} asked={asked}>
          {(answer) => (
            <>
              <Others board={board} answer={answer} />
              <Figure
                board={board}
                name="strategy"
                title={titleOf(board, answer)}
                tools={reading(board, answer)}
                content="table"
              >
                <p class="hint">{say('strategy.hint')}</p>
                <StrategyDrawing board={board} answer={answer} />
              </Figure>
              <ChangeTable board={board} answer={answer} />
              <OperatorTable board={board} answer={answer} />
              <ParameterTable board={board} answer={answer} />
            </>
          )}
        </Answered>
      </div>
      {asked.value && <Opened board={board} answer={asked.value} />}
    </div>
  );
}

interface AnswerProps {
  readonly board: ProfilerParts;
  readonly answer: StrategyAnswer;
}

function titleOf(board: ProfilerParts, { stages }: StrategyAnswer): string {
  const { t: say } = board.page;
  return [
    say('strategy.stages', { count: new Set(stages.map(({ stage }) => stage)).size }),
    say('strategy.device_count', { count: new Set(stages.flatMap(({ ranks }) => ranks)).size }),
    stages[0]?.type,
  ]
    .filter(Boolean)
    .join(' · ');
}

function reading(board: ProfilerParts, { others }: StrategyAnswer): JSX.Element | null {
  const stages = others.flatMap(({ state, stage }) => (state === 'failed' ? [] : [stage]));
  if (stages.length === 0) return null;
  return (
    <span class="hint" role="status">
      {board.page.t('strategy.reading', { stages: stages.join(', ') })}
    </span>
  );
}

/** Stages that cannot be read, and operators that are too many. */
function Others({ board, answer: { others, stages } }: AnswerProps): JSX.Element {
  const { t: say } = board.page;
  const left = stages.reduce((sum, stage) => sum + stage.left_out, 0);
  return (
    <>
      {others.map(({ profile, failure }) =>
        failure ? <p key={profile} class="problem">{`${profile}: ${sentence(board, 'failure', failure)}`}</p> : null,
      )}
      {left > 0 && <p class="hint">{say('strategy.left_out', { count: left })}</p>}
    </>
  );
}

/** The operator that the URL names, if one of the stages has it. */
function Opened({ board, answer }: AnswerProps): JSX.Element | null {
  const opened = board.strategyOperator.value;
  if (opened === null) return null;
  for (const stage of answer.stages)
    for (const operator of stage.operators)
      if (operatorKey(stage.stage, operator.id) === opened)
        return <StrategyPanel board={board} stage={stage} operator={operator} />;
  return null;
}
