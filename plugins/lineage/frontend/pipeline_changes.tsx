import type { Page } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { PipelineAnswer } from './answers';
import { pipelineDiff, type OperatorChange } from './pipeline_diff';

type Pipeline = NonNullable<PipelineAnswer['pipeline']>;

interface PipelineChangesProps {
  readonly before: Pipeline;
  readonly after: Pipeline;
  readonly say: Page['t'];
}

/** Two data pipelines as one list: operators that came, went or changed, with the values that differ. */
export function PipelineChanges({ before, after, say }: PipelineChangesProps): JSX.Element {
  const operators = pipelineDiff(before.nodes, after.nodes);
  const count = operators.filter(({ kind }) => kind !== 'same').length;
  return (
    <>
      <p class="hint" data-testid="pipeline-changes">
        {say(count === 0 ? 'pipeline.equal' : 'pipeline.changes', { count, all: operators.length })}
      </p>
      <ol class="pipeline" data-testid="pipeline">
        {operators.map((operator, at) => (
          <Operator key={at} operator={operator} say={say} />
        ))}
      </ol>
    </>
  );
}

function Operator({
  operator: { node, kind, changes },
  say,
}: {
  readonly operator: OperatorChange;
  readonly say: Page['t'];
}): JSX.Element {
  return (
    <li class={kind} data-operator={node.name} data-change={kind}>
      <h4>
        {node.name}
        {kind !== 'same' && <span class="hint">{say(`pipeline.${kind}`)}</span>}
      </h4>
      {changes.length > 0 && (
        <dl>
          {changes.map(({ name, before, after }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <del>{valueText(before)}</del> → <ins>{valueText(after)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** An operation without values is there or not. */
const valueText = (value: string | null): string => (value === null ? '—' : value === '' ? '✓' : value);
