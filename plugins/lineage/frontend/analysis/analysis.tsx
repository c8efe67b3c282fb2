import { Empty, Select } from '@insight-host/kit';
import { useAnswer } from '@insight-host/kit/lab';
import type { Column } from '@insight-host/kit/runs';
import type { JSX } from 'preact';
import type { ImportanceAnswer } from '../answers';
import type { LineageParts } from '../board';
import { Importances } from './importances';
import { Scatter } from './scatter';
import { Distribution, Marginal } from './target_plots';
import { GoalChoice, goalOf, Tradeoff } from './tradeoff';

const [SHORTEST, LONGEST] = [300, 10_000]; // ms that the host rests

/** What explains a target, and what two targets cost each other. */
export function Analysis({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const { value: target } = board.chosenTarget;
  return (
    <aside class="analysis" data-testid="analysis" aria-label={say('analysis.title')}>
      <h3>{say('analysis.title')}</h3>
      {target === null ? (
        <Empty title={say('analysis.none')} text={say('analysis.none.text')} />
      ) : (
        <OfTarget board={board} target={target} />
      )}
    </aside>
  );
}

function OfTarget({ board, target }: { readonly board: LineageParts; readonly target: Column }): JSX.Element {
  const { t: say } = board.page;
  const { text: filter, where } = board.rows.conditions.value;
  const goal = goalOf(board.goal, target);
  const { value: version } = board.loading.version;
  const { value, error, isFresh } = useAnswer(
    JSON.stringify([target.name, goal, where, filter, version]),
    (signal) =>
      board.page.ctx.data.json<ImportanceAnswer>(
        'importance',
        { target: target.name, goal: goal ?? 'auto', where, filter },
        { signal },
      ),
    // it costs the host much: a change waits for the last one, and the host rests twice as long as an answer takes
    { rest: (took) => took && Math.max(SHORTEST, Math.min(LONGEST, 2 * took)) },
  );
  const answer = error === null ? value : null;
  return (
    <>
      <label class="target">
        <span>{say('target')}</span>
        <Select
          name="target"
          label={say('target')}
          value={target.name}
          options={board.targets.value.map(({ name }) => ({ value: name, text: name }))}
          onPick={(name) => board.target.set(name)}
        />
      </label>
      <GoalChoice board={board} name="goal" setting={board.goal} goal={goal} />
      <Distribution board={board} target={target} />
      {error && <p class="problem">{error}</p>}
      {answer?.target === target.name ? (
        <div class={isFresh ? 'parameters' : 'parameters outdated'} aria-busy={!isFresh}>
          <OfParameters board={board} target={target} answer={answer} />
        </div>
      ) : (
        !error && (
          <p class="hint" role="status">
            {say('importance.computing')}
          </p>
        )
      )}
      <Tradeoff board={board} target={target} goal={goal} />
    </>
  );
}

interface OfParametersProps {
  readonly board: LineageParts;
  readonly target: Column;
  readonly answer: ImportanceAnswer;
}

function OfParameters({ board, target, answer }: OfParametersProps): JSX.Element {
  const { t: say } = board.page;
  const { parameters } = answer;
  const known = parameters.find(({ importance, correlation }) => importance ?? correlation.pearson !== null);
  const chosen = board.parameter.value ?? known?.name ?? parameters[0]?.name ?? null;
  const against = chosen === null ? null : board.columns.axis(chosen);
  const y = board.columns.axis(target.name);
  const curve = answer.sure ? (parameters.find(({ name }) => name === chosen)?.curve ?? []) : [];
  return (
    <>
      <Importances board={board} answer={answer} chosen={chosen} />
      {parameters.length === 0 && <p class="hint">{say('importance.none')}</p>}
      {against && (
        <Scatter
          board={board}
          x={against}
          y={y}
          parameters={board.columns.axes.value.map(({ column }) => column)}
          {...(y && curve.length > 0
            ? { over: (places) => <Marginal curve={curve} x={against} y={y} places={places} /> }
            : {})}
        />
      )}
      {against && curve.length > 0 && <p class="hint">{say('marginal.hint', { target: target.title })}</p>}
    </>
  );
}
