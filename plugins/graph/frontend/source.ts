/** What a drawing is made of: the scopes of one graph, asked for once and kept. */
import type { PluginContext, Query } from '@insight-host/api';
import { isAway } from '@insight-host/kit';
import type {
  GraphRecord,
  NodeDetail,
  RecordKey,
  RemovedAnswer,
  Scope,
  SearchAnswer,
  Statistics,
  TraceAnswer,
} from './answers';

export interface Source {
  /** Another one has other contents. */
  readonly key: string;
  /** Another one has other nodes and edges. */
  readonly shape: string;
  scope(id: string): Promise<Scope>;
  /** Ids of the members that are open unless the user says otherwise. */
  opens(scope: Scope): readonly string[];
}

interface SearchQuery {
  readonly q: string;
  readonly regex: boolean;
  readonly limit: number;
}

const KEPT = 400; // answers
const REMOVED = 200; // of each rule, in one answer
const FEW = 6; // members of a scope of which the largest is opened at once
const DEEPEST = 3; // scopes within each other that are opened so

export const sameRecord = (a: RecordKey | null, b: RecordKey | null): boolean =>
  a === b || (a !== null && b !== null && a.run === b.run && a.tag === b.tag && a.index === b.index);

export class GraphSource implements Source {
  readonly key: string;
  readonly shape: string;
  private readonly query: Query;
  private readonly kept = new Map<string, Promise<unknown>>();

  constructor(
    private readonly ctx: PluginContext,
    readonly record: GraphRecord,
    readonly readable: boolean,
    /** Tag of the profile whose times are shown. */
    readonly profile: string | null,
  ) {
    const { run, tag, index, step, wall_time } = record;
    const shape = { run, tag, index, step, wall_time, readable: readable ? 1 : 0 };
    this.query = { ...shape, profile };
    this.shape = JSON.stringify(shape);
    this.key = GraphSource.keyOf(record, readable, profile);
  }

  static keyOf({ run, tag, index, wall_time }: GraphRecord, readable: boolean, profile: string | null): string {
    return JSON.stringify(['graph', run, tag, index, wall_time, readable, profile]);
  }

  scope(id: string): Promise<Scope> {
    return this.ask('scope', { id });
  }

  opens(scope: Scope): readonly string[] {
    if (scope.nodes.length > FEW || scope.path.length >= DEEPEST) return [];
    const [most] = scope.nodes
      .filter((node) => node.kind === 'scope')
      .sort((a, b) => b.parameters - a.parameters || b.operators - a.operators);
    return most ? [most.id] : [];
  }

  node(id: string): Promise<NodeDetail> {
    return this.ask('node', { id });
  }

  search({ q, regex, limit }: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> {
    return patient(
      () => this.ctx.data.json('search', { ...this.query, q, regex: regex ? 1 : 0, limit }, { signal }),
      signal,
    );
  }

  trace(id: string, scopes: readonly string[], signal: AbortSignal): Promise<TraceAnswer> {
    return patient(() => this.ctx.data.json('trace', { ...this.query, id, scope: scopes }, { signal }), signal);
  }

  statistics(): Promise<Statistics> {
    return this.ask('statistics', {});
  }

  /** The first `parts` parts of the list. */
  async removed(parts: number): Promise<RemovedAnswer> {
    const found = await Promise.all(
      Array.from({ length: parts }, (_, part) => this.ask<RemovedAnswer>('removed', { offset: part * REMOVED })),
    );
    const first = found[0] as RemovedAnswer;
    const nodesOf = (rule: string): RemovedAnswer['rules'][number]['nodes'] =>
      found.flatMap(({ rules }) => rules.find((other) => other.rule === rule)?.nodes ?? []);
    return {
      ...first,
      rules: first.rules.map((rule) => ({ ...rule, nodes: nodesOf(rule.rule) })),
      lifted: found.flatMap(({ lifted }) => lifted),
    };
  }

  private ask<T>(route: string, query: Query): Promise<T> {
    const key = JSON.stringify([route, query]);
    const known = this.kept.get(key);
    if (known) {
      this.kept.delete(key); // to the end: it is used
      this.kept.set(key, known);
      return known as Promise<T>;
    }
    const answer = patient(() => this.ctx.data.json<T>(route, { ...this.query, ...query }), this.ctx.signal);
    this.kept.set(key, answer);
    answer.catch(() => this.kept.delete(key));
    for (const old of this.kept.keys()) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(old);
    }
    return answer;
  }
}

const FIRST_PAUSE = 1000; // ms before what failed because the host was away is asked for again
const LONGEST_PAUSE = 5000;

/** The answer to a request, however long the host is away; any other failure is one. */
export async function patient<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal.throwIfAborted();
  }
}
