/** The data pipeline of a run, as scopes that the drawing of graphs understands. */
import type { PluginContext } from '@insight-host/api';
import type {
  Edge,
  GraphNode,
  GraphRecord,
  NodeKind,
  Notice,
  PipelineAnswer,
  PipelineNode,
  PipelinePart,
  Scope,
} from './answers';
import { patient, type Source } from './source';

export function plainNode(id: string, kind: NodeKind, more: Partial<GraphNode>): GraphNode {
  return {
    id,
    name: id,
    type: '',
    kind,
    children: 0,
    operators: 1,
    constants: 0,
    parameters: 0,
    inputs: 0,
    outputs: 0,
    output_types: [],
    device: '',
    devices: 0,
    time: null,
    dynamic: false,
    aside: false,
    structure: 0,
    ...more,
  };
}

export function dataEdge(from: string, to: string): Edge {
  return { from, to, kind: 'data', count: 1, label: '' };
}

export function plainScope(
  id: string,
  name: string,
  nodes: readonly GraphNode[],
  edges: readonly Edge[],
  notices: readonly Notice[] = [],
): Scope {
  return {
    id,
    name,
    kind: 'scope',
    path: id === '' ? [] : [{ id, name, kind: 'scope' }],
    graph: { nodes: nodes.length, edges: edges.length, scopes: 0, removed: 0, notices, timed: false },
    nodes,
    edges,
    proxies: [],
    omitted: { edges: 0, proxies: 0 },
  };
}

/** What is known of one thing in the drawing. */
export interface PipelineDetail extends PipelinePart {
  readonly type: string;
  readonly operations: readonly PipelinePart[];
  readonly sampler: PipelinePart | null;
}

const inner = (id: string, index: number): string => `${id}\n${index}`;

export class PipelineSource implements Source {
  readonly key: string;
  readonly shape: string;
  private answer: Promise<PipelineAnswer> | null = null;

  constructor(
    private readonly ctx: PluginContext,
    readonly record: GraphRecord,
  ) {
    this.key = this.shape = PipelineSource.keyOf(record);
  }

  static keyOf({ run, tag, index, wall_time }: GraphRecord): string {
    return JSON.stringify(['pipeline', run, tag, index, wall_time]);
  }

  /** Whether there is a pipeline in the record at all. */
  async load(): Promise<PipelineAnswer> {
    const { run, tag, index, step, wall_time } = this.record;
    this.answer ??= patient(
      () => this.ctx.data.json<PipelineAnswer>('pipeline', { run, tag, index, step, wall_time }),
      this.ctx.signal,
    );
    this.answer.catch(() => (this.answer = null));
    return this.answer;
  }

  async scope(id: string): Promise<Scope> {
    const { pipeline, notices } = await this.load();
    if (id === '')
      return plainScope(
        '',
        '',
        (pipeline?.nodes ?? []).map(nodeOf),
        (pipeline?.edges ?? []).map(({ from, to }) => dataEdge(from, to)),
        notices,
      );
    const node = pipeline?.nodes.find((other) => other.id === id);
    if (!node) throw new Error(`no operation ${JSON.stringify(id)} in the pipeline`);
    const operations = node.operations.map(({ name }, i) => plainNode(inner(id, i), 'operator', { name, type: name }));
    const edges = operations.slice(1).map((operation, i) => dataEdge(inner(id, i), operation.id));
    return plainScope(id, node.name, operations, edges);
  }

  opens(scope: Scope): readonly string[] {
    return scope.nodes.filter((node) => node.children > 0).map((node) => node.id);
  }

  async detail(id: string): Promise<PipelineDetail | null> {
    const { pipeline } = await this.load();
    const [own = '', index] = id.split('\n');
    const node = pipeline?.nodes.find((other) => other.id === own);
    if (!node || index === undefined) return node ?? null;
    const operation = node.operations[Number(index)];
    return operation ? { ...operation, type: operation.name, operations: [], sampler: null } : null;
  }
}

function nodeOf(node: PipelineNode): GraphNode {
  const { length: children } = node.operations;
  return plainNode(node.id, children > 0 ? 'scope' : 'operator', {
    name: node.name,
    type: node.type,
    children,
    operators: children || 1,
  });
}
