/** One operator of a parallel strategy: its tensors, and which ranks hold which slice of them. */
import { Button, bytesText } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { ShardedTensor, StrategyOperator, StrategyOperatorAnswer, StrategyStage } from '../answers/strategy';
import { inkOf, onColor } from '../figures/ink';
import { LocalTable } from '../table/local_table';
import { useProfileAnswer } from '../use_answer';
import { Answered } from '../views/state';
import { axesText, communicationText, matrixText, rangesText, shapeText, sliceText } from './words';

const MOST_CELLS = 256;

interface PanelProps {
  readonly board: ProfilerParts;
  readonly stage: StrategyStage;
  readonly operator: StrategyOperator;
}

export function StrategyPanel({ board, stage, operator }: PanelProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const asked = useProfileAnswer<StrategyOperatorAnswer>(board, 'strategy_operator', {
    profile: stage.profile,
    stage: stage.stage,
    name: operator.id,
  });
  const { communication } = operator;
  const facts: (readonly [string, string])[] = [
    ['name', operator.full_name || operator.id],
    ['stage', `${stage.stage} (${say('strategy.ranks', { ranks: rangesText(stage.ranks) || '—' })})`],
    ...(operator.devices ? ([['matrix', matrixText(operator.devices)]] as const) : []),
    ...(operator.shards === null ? [] : ([['shards', operator.shards.toLocaleString(locale)]] as const)),
    ...(communication
      ? ([
          ['moves', communicationText(communication, locale)],
          ...(communication.sent === null ? [] : ([['sent', bytesText(communication.sent, locale)]] as const)),
          ...(communication.ranks.length > 0
            ? ([['group', rangesText(communication.ranks) + (communication.count > 64 ? ' …' : '')]] as const)
            : []),
        ] as const)
      : []),
  ];
  return (
    <aside class={asked.busy ? 'panel busy' : 'panel'} aria-label={operator.type} data-testid="strategy-panel">
      <header>
        <h3 title={operator.full_name}>{operator.type}</h3>
        <Button
          action="close-panel"
          icon="close"
          label={say('panel.close')}
          onPress={() => board.strategyOperator.set(null)}
        />
      </header>
      <dl class="row-facts">
        {facts.map(([name, text]) => (
          <div key={name} class={name === 'name' || name === 'stage' ? 'long' : ''} data-fact={name}>
            <dt>{say(`strategy.fact.${name}`)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            <Tensors key={operator.id} board={board} answer={answer} />
            {Object.keys(answer.attributes).length > 0 && (
              <details>
                <summary>{say('strategy.attributes')}</summary>
                <dl class="row-facts">
                  {Object.entries(answer.attributes).map(([name, value]) => (
                    <div key={name} class="long">
                      <dt>{name}</dt>
                      <dd>{value}</dd>
                    </div>
                  ))}
                </dl>
              </details>
            )}
          </>
        )}
      </Answered>
    </aside>
  );
}

interface TensorsProps {
  readonly board: ProfilerParts;
  readonly answer: StrategyOperatorAnswer;
}

/** Inputs and outputs; one of them is shown on its devices. */
function Tensors({ board, answer }: TensorsProps): JSX.Element | null {
  const { t: say } = board.page;
  const known = answer.slices.findIndex((slices) => slices !== null);
  const chosen = useSignal(Math.max(0, known));
  const tensor = answer.tensors[chosen.value];
  if (!tensor) return null;
  return (
    <>
      <h4>{say('strategy.tensors')}</h4>
      <div class="strategy-tensors">
        {answer.tensors.map((one, i) => (
          <button
            key={i}
            type="button"
            aria-pressed={i === chosen.value}
            data-tensor={i}
            onClick={() => (chosen.value = i)}
          >
            <TensorText board={board} tensor={one} />
          </button>
        ))}
      </div>
      <Slices board={board} answer={answer} tensor={tensor} at={chosen.value} />
    </>
  );
}

/** `128 × 64 ÷ [2, 1] = 64 × 64`, with its type and its bytes on a device. */
function TensorText({ board, tensor }: { readonly board: ProfilerParts; readonly tensor: ShardedTensor }): JSX.Element {
  const { t: say } = board.page;
  const { role, name, shape, shard, parts, data_type: kind, bytes, devices, axes } = tensor;
  return (
    <>
      <span class="first" title={name}>
        <b>{say(`strategy.role.${role}`)}</b> {name.split('/').at(-1)}
      </span>
      <span>
        {shape && parts && shard
          ? `${shapeText(shape)} ÷ [${parts.join(', ')}] = ${shapeText(shard)}`
          : parts
            ? `÷ [${parts.join(', ')}]${shard ? ` = ${shapeText(shard)}` : ''}`
            : shapeText(shard)}
      </span>
      <span class="muted">
        {[
          kind.replace(/^DT_(BASE_)?/, '').toLowerCase(),
          bytes === null ? '' : say('strategy.bytes_each', { bytes: bytesText(bytes, board.page.locale.value) }),
          devices && axes ? axesText(devices, axes) : '',
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  );
}

interface SlicesProps extends TensorsProps {
  readonly tensor: ShardedTensor;
  readonly at: number;
}

/** The device matrix: ranks that hold the same slice have one colour. */
function Slices({ board, answer, tensor, at }: SlicesProps): JSX.Element {
  const { t: say } = board.page;
  const ink = inkOf(board.page.theme.value);
  const slices = answer.slices[at];
  const { shape, devices, parts } = tensor;
  if (!slices || !devices || !parts)
    return <p class="hint">{say(tensor.parts ? 'strategy.slices_unknown' : 'strategy.layout_unknown')}</p>;
  const holders = new Map<string, number[]>();
  const texts = slices.map((slice) => (slice ? sliceText(slice, shape, parts) : '—'));
  texts.forEach((text, i) => holders.set(text, [...(holders.get(text) ?? []), answer.ranks[i] ?? i]));
  const names = [...holders.keys()];
  const across = devices.filter((size) => size > 1).at(-1) ?? 1;
  return (
    <>
      <h4>{say('strategy.slices', { count: names.length, matrix: matrixText(devices) })}</h4>
      <div
        class="strategy-devices"
        role="img"
        aria-label={say('strategy.slices', { count: names.length, matrix: matrixText(devices) })}
        style={{ gridTemplateColumns: `repeat(${across <= 16 ? across : 8}, minmax(0, 44px))` }}
      >
        {texts.slice(0, MOST_CELLS).map((text, i) => {
          const color = ink.rank(names.indexOf(text));
          return (
            <span
              key={i}
              title={say('strategy.holds', { rank: answer.ranks[i] ?? i, slice: text })}
              style={{ background: color, color: onColor(color) }}
            >
              {answer.ranks[i]}
            </span>
          );
        })}
      </div>
      <LocalTable
        board={board}
        name="strategy-slices"
        title={say('strategy.slices_table')}
        columns={{ slice: 'text', ranks: 'text' }}
        widths={{ slice: 130, ranks: 110 }}
        rows={names.map((slice) => ({ slice, ranks: rangesText(holders.get(slice) ?? []) }))}
        sort=""
      />
    </>
  );
}
