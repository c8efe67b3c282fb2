/** Parts of answers, for tests. */
import type { Edge, GraphNode, NodeKind, Proxy, Scope } from './answers';

export function node(id: string, kind: NodeKind = 'operator', more: Partial<GraphNode> = {}): GraphNode {
  return {
    id,
    name: id.split('/').at(-1) ?? id,
    type: kind === 'scope' ? '' : 'Op',
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

export function edge(from: string, to: string, more: Partial<Edge> = {}): Edge {
  return { from, to, kind: 'data', count: 1, label: '', ...more };
}

export function proxy(of: string): Proxy {
  return { id: `proxy:${of}`, name: of, type: '', kind: 'proxy', of, stands_for: 'operator', path: [] };
}

export function scope(
  id: string,
  nodes: readonly GraphNode[],
  edges: readonly Edge[],
  proxies: readonly Proxy[] = [],
): Scope {
  return {
    id,
    name: id,
    kind: 'scope',
    path: id ? [{ id, name: id, kind: 'scope' }] : [],
    graph: { nodes: nodes.length, edges: edges.length, scopes: 0, removed: 0, notices: [], timed: false },
    nodes,
    edges,
    proxies,
    omitted: { edges: 0, proxies: 0 },
  };
}
