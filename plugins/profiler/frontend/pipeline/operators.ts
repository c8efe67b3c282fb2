/** The answer about the pipeline that prepares data, and the order of its operators. null: not known. */

export interface PipelineOperator {
  readonly id: number;
  readonly type: string;
  readonly workers?: number | null;
  readonly parent?: number | null;
  readonly children?: readonly number[] | null;
  readonly queue?: {
    readonly capacity?: number | null;
    readonly average?: number | null;
    readonly usage?: number | null;
    readonly samples?: readonly number[] | null;
  } | null;
  readonly cpu?: { readonly user?: number | null; readonly system?: number | null } | null;
}

export interface Series {
  readonly group: string;
  readonly label: string;
  readonly unit: string;
  readonly values: readonly (number | null)[];
  readonly average: number | null;
}

/** Columns by batch, and totals of all batches. */
export interface QueueInfo {
  readonly name: string;
  readonly batches: number;
  readonly empty: number | null;
  readonly number?: readonly (number | null)[];
  readonly get?: readonly (number | null)[];
  readonly push?: readonly (number | null)[];
  readonly total?: readonly (number | null)[];
  readonly queue_size?: readonly (number | null)[];
  readonly queue_capacity?: readonly (number | null)[];
}

export interface PipelineAnswer {
  readonly operators: readonly PipelineOperator[];
  readonly queues: readonly QueueInfo[];
  readonly cpu?: {
    readonly processors: number | null;
    readonly interval_ms: number | null;
    readonly times_ms: readonly number[];
    readonly series: readonly Series[];
  } | null;
  /** Sentences of MindSpore's own, in English as it wrote them. */
  readonly suggestions?: readonly string[];
  /** Stages of operations; averages in ns. */
  readonly operations?: readonly {
    readonly operation: string;
    readonly stage: string;
    readonly calls: number;
    readonly average: number;
    readonly information: string;
  }[];
}

export interface Placed {
  readonly operator: PipelineOperator;
  /** How many branches it is away from the main line. */
  readonly level: number;
}

/** From the sources to what the training reads: whoever makes data stands above whoever takes them. */
export function inDataOrder(operators: readonly PipelineOperator[]): readonly Placed[] {
  const byId = new Map(operators.map((operator) => [operator.id, operator]));
  const found: Placed[] = [];
  const seen = new Set<number>();
  const visit = (operator: PipelineOperator, level: number): void => {
    if (seen.has(operator.id)) return;
    seen.add(operator.id);
    (operator.children ?? []).forEach((id, i) => {
      const child = byId.get(id);
      if (child) visit(child, level + i);
    });
    found.push({ operator, level });
  };
  for (const operator of operators)
    if (operator.parent === null || operator.parent === undefined || !byId.has(operator.parent)) visit(operator, 0);
  for (const operator of operators) visit(operator, 0); // a ring has no beginning
  return found;
}

const [FULL, EMPTY] = [0.8, 0.6]; // of a queue; MindInsight's

/** Operators that have enough to take and give too little: their inputs are full, their output is not. */
export function bottlenecks(operators: readonly PipelineOperator[]): ReadonlySet<number> {
  const byId = new Map(operators.map((operator) => [operator.id, operator]));
  const found = new Set<number>();
  for (const { id, children, queue } of operators) {
    const inputs = (children ?? []).map((child) => byId.get(child)?.queue?.usage ?? null);
    const output = queue?.usage ?? null;
    if (
      output !== null &&
      output < EMPTY &&
      inputs.length > 0 &&
      inputs.every((usage) => usage !== null && usage > FULL)
    )
      found.add(id);
  }
  return found;
}
