import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { StrategyAnswer, StrategyOperator, TensorInfo } from '../answers/strategy';
import { LocalTable } from '../table/local_table';
import { useProfileAnswer } from '../use_answer';
import type { ViewProps } from '../views';
import { Answered } from './state';

const shapeText = ({ data_type, shape }: TensorInfo): string => `${data_type}${shape ? `[${shape.join(', ')}]` : ''}`;
/** Attributes that say how an operator is cut. */
const CUT = ['strategy', 'in_strategy', 'out_strategy', 'gen_strategy', 'stra', 'shard'];
const cutOf = ({ attributes }: StrategyOperator): string =>
  CUT.flatMap((name) => (attributes[name] ? [attributes[name]] : [])).join('; ');

const COLUMNS = {
  name: 'text',
  type: 'text',
  strategy: 'text',
  outputs: 'text',
  instance: 'text',
  scope: 'text',
} as const;

/** How a model is spread over devices: its stages, and how their operators are cut. */
export default function Strategy({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const asked = useProfileAnswer<StrategyAnswer>(board, 'strategy');
  const opened = board.strategyOperator;
  return (
    <div class="scroll">
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            {answer.stages.map((stage, i) => {
              const found = stage.operators.find(({ name }) => `${i}/${name}` === opened.value);
              return (
                <section key={i} class="stage" data-stage={stage.stage}>
                  <dl class="row-facts across">
                    <div>
                      <dt>{say('strategy.stage')}</dt>
                      <dd>{stage.stage}</dd>
                    </div>
                    <div>
                      <dt>{say('strategy.rank')}</dt>
                      <dd>{stage.rank}</dd>
                    </div>
                    <div>
                      <dt>{say('strategy.type')}</dt>
                      <dd>{stage.type || '—'}</dd>
                    </div>
                    <div>
                      <dt>{say('strategy.devices')}</dt>
                      <dd>{stage.devices.join(', ') || '—'}</dd>
                    </div>
                  </dl>
                  <LocalTable
                    board={board}
                    name={`strategy-${stage.stage}`}
                    title={say('strategy.operators', { stage: stage.stage, count: stage.operators.length })}
                    columns={COLUMNS}
                    rows={stage.operators.map((operator) => ({
                      ...operator,
                      strategy: cutOf(operator) || null,
                      outputs: operator.outputs.map(shapeText).join('; '),
                    }))}
                    sort=""
                    widths={{ name: 160, outputs: 220, strategy: 160 }}
                    onOpen={(row) => opened.set(opened.value === `${i}/${row.name}` ? null : `${i}/${row.name}`)}
                    isOpen={(row) => opened.value === `${i}/${row.name}`}
                  />
                  {found && <Details board={board} operator={found} />}
                </section>
              );
            })}
            {answer.parameters.length > 0 && (
              <LocalTable
                board={board}
                name="parameters"
                title={say('strategy.parameters', { count: answer.parameters.length })}
                columns={{ name: 'text', outputs: 'text' }}
                rows={answer.parameters.map((parameter) => ({ name: parameter.name, outputs: shapeText(parameter) }))}
                sort=""
              />
            )}
          </>
        )}
      </Answered>
    </div>
  );
}

/** All attributes of one operator. */
function Details({
  board,
  operator,
}: {
  readonly board: ProfilerParts;
  readonly operator: StrategyOperator;
}): JSX.Element {
  return (
    <dl class="row-facts figure" data-testid="strategy-details">
      <div class="long">
        <dt>{board.page.t('column.name')}</dt>
        <dd>{operator.full_name || operator.name}</dd>
      </div>
      <div class="long">
        <dt>{board.page.t('strategy.inputs')}</dt>
        <dd>{operator.inputs.join(', ') || '—'}</dd>
      </div>
      {Object.entries(operator.attributes).map(([name, value]) => (
        <div key={name} class="long">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
