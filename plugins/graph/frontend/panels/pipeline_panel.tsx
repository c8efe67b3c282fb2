import type { JSX } from 'preact';
import type { NamedValue } from '../answers';
import type { GraphParts } from '../board';
import { Section } from './node_panel';
import type { PipelineDetail } from '../pipeline';
import { useAnswer } from '@insight-host/kit/lab';

/** What is known of the selected part of a data pipeline. */
export function PipelinePanel({ board, id }: { readonly board: GraphParts; readonly id: string | null }): JSX.Element {
  const { t: say } = board.page;
  const source = board.sources.pipeline.value;
  const { value: part, error } = useAnswer<PipelineDetail | null>(
    source && id !== null ? JSON.stringify([source.key, id]) : null,
    async () => (id === null ? null : (source?.detail(id) ?? null)),
  );
  if (error)
    return (
      <p class="problem" role="alert">
        {error}
      </p>
    );
  if (!part) {
    return (
      <div class="graph-panel">
        <h3>{board.page.nameOf(board.records.pipeline.value?.run ?? '')}</h3>
        <p class="hint">{say('pipeline.hint')}</p>
      </div>
    );
  }
  return (
    <div class="node-panel" data-testid="node-panel" data-node={id ?? ''}>
      <h3>
        <span class="name">{part.name}</span>
      </h3>
      <Parameters board={board} values={part.parameters} />
      {part.sampler && (
        <Section title={say('pipeline.sampler')}>
          <p class="part">{part.sampler.name}</p>
          <Parameters board={board} values={part.sampler.parameters} />
        </Section>
      )}
      {part.operations.length > 0 && (
        <Section title={say('pipeline.operations')} count={part.operations.length}>
          {part.operations.map((operation, i) => (
            <div key={i} class="operation">
              <p class="part">{`${i + 1}. ${operation.name}`}</p>
              <Parameters board={board} values={operation.parameters} />
            </div>
          ))}
        </Section>
      )}
    </div>
  );
}

function Parameters({
  board,
  values,
}: {
  readonly board: GraphParts;
  readonly values: readonly NamedValue[];
}): JSX.Element {
  if (values.length === 0) return <p class="count">{board.page.t('pipeline.no_parameters')}</p>;
  return (
    <table class="facts" data-testid="attributes">
      <tbody>
        {values.map(({ name, value }, i) => (
          <tr key={i}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
