import { useSignal } from '@preact/signals';
import { Dialog, Select, type Page } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { PipelineAnswer, PipelineNode, PipelineValues } from './answers';
import type { LineageParts } from './board';
import { PipelineChanges } from './pipeline_changes';
import { useAnswer } from './use_answer';

const MOST_OTHERS = 500; // runs to compare with

/** The data pipeline of a run, operator by operator, from the sources to the end. */
export function PipelineDialog({ board, run }: { readonly board: LineageParts; readonly run: string }): JSX.Element {
  const { t: say } = board.page;
  const { value: answer, error } = useAnswer(run, () =>
    board.page.ctx.data.json<PipelineAnswer>('pipeline', { run }, { signal: board.page.ctx.signal }),
  );
  const pipeline = answer?.pipeline;
  const against = useSignal('');
  const other = useAnswer(against.value || null, () =>
    board.page.ctx.data.json<PipelineAnswer>('pipeline', { run: against.value }, { signal: board.page.ctx.signal }),
  );
  const others = othersOf(board, run);
  const same = answer?.mark == null ? [] : sameMark(board, answer.mark, run);
  return (
    <Dialog
      name="pipeline"
      title={say('pipeline.title', { run: board.page.nameOf(run) })}
      onClose={() => (board.dialog.value = null)}
    >
      {error && <p class="problem">{error}</p>}
      {answer && !pipeline && <p class="hint">{say('pipeline.none')}</p>}
      {same.length > 0 && (
        <p class="hint">
          {say('pipeline.same', {
            count: same.length,
            runs: same
              .slice(0, 5)
              .map((name) => board.page.nameOf(name))
              .join(say('list.separator')),
          })}
        </p>
      )}
      {pipeline && others.length > 0 && (
        <label class="target">
          <span>{say('pipeline.against')}</span>
          <Select
            name="pipeline-against"
            label={say('pipeline.against')}
            value={against.value}
            options={[
              { value: '', text: say('pipeline.against.none') },
              ...others.map((name) => ({ value: name, text: board.page.nameOf(name) })),
            ]}
            onPick={(name) => (against.value = name)}
          />
        </label>
      )}
      {other.error && <p class="problem">{other.error}</p>}
      {pipeline && pipeline.edges.length !== pipeline.nodes.length - 1 && (
        <p class="hint">{say('pipeline.combined')}</p>
      )}
      {pipeline && against.value !== '' && other.value?.pipeline ? (
        <PipelineChanges before={pipeline} after={other.value.pipeline} say={say} />
      ) : (
        <ol class="pipeline" data-testid="pipeline">
          {pipeline?.nodes.map((node) => (
            <Operator key={node.id} node={node} inputs={inputsOf(pipeline, node)} say={say} />
          ))}
        </ol>
      )}
    </Dialog>
  );
}

/** Runs that have a pipeline, those with another one first; ticked ones before others. */
function othersOf(board: LineageParts, run: string): readonly string[] {
  const { value: frame } = board.frame;
  const numbers = frame?.columns.get('dataset_mark')?.numbers;
  if (!frame || !numbers) return [];
  const own = numbers[frame.rowOf.get(run) ?? -1];
  const rank = (name: string): number =>
    2 * Number(numbers[frame.rowOf.get(name) ?? -1] === own) + Number(!board.selection.names.value.has(name));
  return frame.runs
    .filter((name, row) => name !== run && Number.isFinite(numbers[row]))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MOST_OTHERS);
}

function sameMark(board: LineageParts, mark: number, run: string): readonly string[] {
  const { value: frame } = board.frame;
  const numbers = frame?.columns.get('dataset_mark')?.numbers;
  return frame && numbers ? frame.runs.filter((other, row) => numbers[row] === mark && other !== run) : [];
}

/** Names of what comes into a node, where that is not just the one above. */
function inputsOf({ nodes, edges }: NonNullable<PipelineAnswer['pipeline']>, node: PipelineNode): readonly string[] {
  const above = nodes[nodes.indexOf(node) - 1]?.id;
  const from = edges.filter(({ to }) => to === node.id).map((edge) => edge.from);
  if (from.length === 1 && from[0] === above) return [];
  return from.map((id) => nodes.find((other) => other.id === id)?.name ?? id);
}

interface OperatorProps {
  readonly node: PipelineNode;
  readonly inputs: readonly string[];
  readonly say: Page['t'];
}

function Operator({ node, inputs, say }: OperatorProps): JSX.Element {
  return (
    <li class={node.kind} data-operator={node.name}>
      <h4>
        {node.name}
        {inputs.length > 0 && (
          <span class="hint">{say('pipeline.inputs', { names: inputs.join(say('list.separator')) })}</span>
        )}
      </h4>
      <Values values={node} />
      {[...node.operations, ...(node.sampler ? [node.sampler] : [])].map((part, at) => (
        <section key={`${part.name}${at}`}>
          <h5>{part.name}</h5>
          <Values values={part} />
        </section>
      ))}
    </li>
  );
}

function Values({ values: { parameters } }: { readonly values: PipelineValues }): JSX.Element | null {
  if (parameters.length === 0) return null;
  return (
    <dl>
      {parameters.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
